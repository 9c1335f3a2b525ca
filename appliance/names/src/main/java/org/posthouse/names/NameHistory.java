package org.posthouse.names;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** The last changes that a front end was told of. Thread-safe. */
public final class NameHistory {
    /** Changes that are kept. */
    public static final int CHANGES_MAX = 500;

    /** Most characters of a record's fields that are kept. */
    static final int CHARS_MAX = 300;

    /**
     * One change.
     *
     * @param at milliseconds since 1970 UTC, when this front end was told
     * @param fields the record's fields as {@code name=value}, cut to 300 characters
     */
    public record Entry(long at, Name name, long version, long epoch, boolean present, String fields) {
        /** Whether it differs from an earlier one by its version alone, as heartbeats do: they would displace all else. */
        private boolean renews(Entry earlier) {
            return name.equals(earlier.name) && epoch == earlier.epoch && present && earlier.present && fields.equals(earlier.fields);
        }
    }

    private final Alarm alarm;
    private final Deque<Entry> entries = new ArrayDeque<>();

    NameHistory(Alarm alarm) {
        this.alarm = alarm;
    }

    /** Adds a change, unless it is known: a name may be told more than once, and by more than one subscription. */
    synchronized void add(NameChange change) {
        BoundName bound = change.bound();
        boolean isKnown =
                entries.stream().anyMatch(known -> known.name.equals(bound.name()) && known.version >= bound.version() && known.present == change.present());
        if (isKnown) {
            return;
        }
        Entry entry = new Entry(alarm.now(), bound.name(), bound.version(), bound.record().epoch(), change.present(), text(bound.record()));
        entries.removeIf(entry::renews);
        if (entries.size() == CHANGES_MAX) {
            entries.removeFirst();
        }
        entries.addLast(entry);
    }

    /** A record's fields as {@code name=value}, cut to 300 characters. */
    public static String text(NameRecord record) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> field : record.fields().entrySet()) {
            if (text.length() > CHARS_MAX) {
                break;
            }
            text.append(text.isEmpty() ? "" : ", ").append(field.getKey()).append('=').append(field.getValue());
        }
        return text.length() > CHARS_MAX ? text.substring(0, CHARS_MAX) + "…" : text.toString();
    }

    /** The changes, the newest first. */
    public synchronized List<Entry> newestFirst() {
        return List.copyOf(entries.reversed());
    }
}
