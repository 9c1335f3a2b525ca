package org.posthouse.launch.stage;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Checks of the names under which files stand in a job's folder. A name is relative, its parts are separated by
 * slashes, and it leads nowhere else. Both ends check it: an agent does not trust its launchers. Stateless.
 */
public final class JobPaths {
    private static final int NAME_BYTES_MAX = 1_024;
    private static final int PART_BYTES_MAX = 255;

    private JobPaths() {}

    /** Returns the name. @throws StageException in one line, if it may not stand in a job's folder */
    public static String checked(String name) throws StageException {
        String fault = fault(name);
        if (fault != null) {
            throw new StageException("the name \"" + printable(name) + "\" of a job's file " + fault);
        }
        return name;
    }

    /** The place of a name in a job's folder. @throws StageException in one line, if it may not stand there */
    public static Path resolve(Path folder, String name) throws StageException {
        Path path = folder.resolve(checked(name)).normalize();
        if (!path.startsWith(folder.normalize()) || path.equals(folder.normalize())) {
            throw new StageException("the name \"" + name + "\" of a job's file leads out of the job's folder");
        }
        return path;
    }

    private static String fault(String name) {
        if (name.isEmpty()) {
            return "is empty";
        }
        if (name.codePoints().anyMatch(JobPaths::isUnprintable)) {
            return "has a control character";
        }
        if (name.indexOf('\\') >= 0) {
            return "has a backslash";
        }
        if (name.startsWith("/") || name.matches("[A-Za-z]:.*")) {
            return "is absolute";
        }
        if (bytes(name) > NAME_BYTES_MAX) {
            return "has more than " + NAME_BYTES_MAX + " bytes";
        }
        for (String part : name.split("/", -1)) {
            if (part.isEmpty()) {
                return "has an empty part";
            }
            if (part.equals(".") || part.equals("..")) {
                return "has the part \"" + part + "\"";
            }
            if (bytes(part) > PART_BYTES_MAX) {
                return "has a part of more than " + PART_BYTES_MAX + " bytes";
            }
        }
        return null;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** Control and format characters, line separators, halves of surrogate pairs. */
    private static boolean isUnprintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE -> true;
            default -> false;
        };
    }

    static String printable(String text) {
        String shown = text.length() > 80 ? text.substring(0, 80) + "…" : text;
        return shown.codePoints().collect(StringBuilder::new,
                (to, character) -> to.appendCodePoint(isUnprintable(character) ? '?' : character), StringBuilder::append).toString();
    }
}
