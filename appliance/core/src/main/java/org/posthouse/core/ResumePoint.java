package org.posthouse.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/**
 * The resume point of a process that reconnects: the messages that it has read, and those that it has in part. {@link
 * #NONE} for a process that has just started.
 *
 * @param deliveries number of messages that were delivered to it
 * @param events number of events of its history that it has
 * @param failedPolls number of all its failed polls
 * @param readFrom number of deliveries that the history may skip, so that the missing parts of {@code arriving} are in
 *     it
 * @param arriving messages that were delivered to it in part, with the offset up to which it has them
 * @param originKnown whether it knows where it continues behind its prologue
 * @param goingOn messages of its own that it does not begin again
 * @param gone its offers that were taken back
 */
record ResumePoint(
        long deliveries,
        long events,
        long failedPolls,
        long readFrom,
        boolean originKnown,
        Map<TransferId, Long> arriving,
        List<StatePage.Entry> goingOn,
        List<TransferId> gone) {
    static final ResumePoint NONE = new ResumePoint(0, 0, 0, 0, false, Map.of(), List.of(), List.of());

    static ResumePoint of(Hello hello, List<StatePage.Entry> state) throws Refusal {
        Map<TransferId, Long> arriving = new HashMap<>();
        List<StatePage.Entry> goingOn = new ArrayList<>();
        List<TransferId> gone = new ArrayList<>();
        long readFrom = hello.deliveries();
        for (StatePage.Entry entry : state) {
            if (entry.kind() == StatePage.ARRIVING) {
                arriving.put(new TransferId(entry.context(), entry.peer(), entry.a()), arrived(entry));
                readFrom = Math.min(readFrom, entry.aux() == 0 ? 0 : hello.deliveries() - entry.aux());
            } else if (entry.kind() == StatePage.OFFERED) {
                goingOn.add(checked(entry));
            } else if (entry.kind() == StatePage.GONE) {
                gone.add(new TransferId(entry.context(), entry.peer(), entry.a()));
            }
        }
        return new ResumePoint(
                hello.deliveries(),
                hello.events(),
                hello.failedPolls(),
                Math.max(0, readFrom),
                hello.origin() != 0,
                arriving,
                goingOn,
                gone);
    }

    private static long arrived(StatePage.Entry entry) throws Refusal {
        if (entry.b() < 0 || entry.b() % Wire.PAYLOAD_BYTES_MAX != 0) {
            throw new Refusal(
                    CloseReason.CANNOT_RESUME,
                    "it has " + entry.b() + " bytes of message " + entry.a() + " from rank " + entry.peer()
                            + ", expected a multiple of " + Wire.PAYLOAD_BYTES_MAX);
        }
        return entry.b();
    }

    private static StatePage.Entry checked(StatePage.Entry entry) throws Refusal {
        if (entry.b() < 0 || entry.aux() < 0 || (entry.aux() - 1L) * Wire.PAYLOAD_BYTES_MAX >= entry.b() && entry.aux() > 0) {
            throw new Refusal(
                    CloseReason.CANNOT_RESUME,
                    "it goes on with chunk " + entry.aux() + " of its message " + entry.a() + " to rank " + entry.peer()
                            + ", which has " + entry.b() + " bytes");
        }
        return entry;
    }

    /** The offset up to which it has the bytes of a delivered message. */
    long has(Message message) {
        return arriving.getOrDefault(TransferId.of(message), message.bytes());
    }
}
