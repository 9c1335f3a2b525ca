package org.posthouse.names;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A name of parts, written with slashes: {@code vm/grid/state}. Immutable; ordered by its parts.
 *
 * @param parts 1 to 8, each of 1 to 64 letters, digits, dots, underscores or hyphens; none: {@link #ROOT}
 */
public record Name(List<String> parts) implements Comparable<Name> {
    /** Longest name in characters, slashes included. */
    public static final int CHARS_MAX = 8 * 64 + 7;

    private static final int PARTS_MAX = 8;
    private static final Pattern PART = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int SHOWN_CHARS_MAX = 100;

    /** The prefix of all names, which is no name itself: it is only listed and listened to. */
    public static final Name ROOT = new Name(List.of());

    /** Refuses what is no name with {@link NameException.Kind#BAD_NAME}. */
    public Name {
        parts = List.copyOf(parts);
        if (parts.size() > PARTS_MAX || !parts.stream().allMatch(part -> PART.matcher(part).matches())) {
            String shown = String.join("/", parts);
            throw new NameException(NameException.Kind.BAD_NAME, "\"" + (shown.length() > SHOWN_CHARS_MAX ? shown.substring(0, SHOWN_CHARS_MAX) + "…" : shown)
                    + "\" is no name: expected 1 to 8 parts, with slashes between, each of 1 to 64 of A-Z, a-z, 0-9, dot, underscore and hyphen");
        }
    }

    /** Reads a name with slashes. @throws NameException if it is none */
    public static Name parse(String text) {
        return new Name(List.of(text.split("/", -1)));
    }

    /** Reads a name, or {@link #ROOT} from an empty text. @throws NameException if it is neither */
    public static Name parsePrefix(String text) {
        return text.isEmpty() ? ROOT : parse(text);
    }

    /** Whether it begins with all parts of another, or is that. */
    public boolean isBelow(Name prefix) {
        return parts.size() >= prefix.parts.size() && parts.subList(0, prefix.parts.size()).equals(prefix.parts);
    }

    /** The name one part below. */
    public Name child(String part) {
        return parts.isEmpty() ? parse(part) : parse(this + "/" + part);
    }

    /** A name beside it, whose last part is longer. */
    public Name beside(String suffix) {
        return parse(this + suffix);
    }

    @Override
    public int compareTo(Name other) {
        for (int at = 0; at < Math.min(parts.size(), other.parts.size()); at++) {
            int order = parts.get(at).compareTo(other.parts.get(at));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(parts.size(), other.parts.size());
    }

    @Override
    public String toString() {
        return String.join("/", parts);
    }
}
