package org.posthouse.mpj.blocked;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.posthouse.mpj.operation.OfferedSend;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.wire.BlockedReport;

/**
 * The waiting point-to-point calls of the program, and the reports about the one that has waited longest (docs/wire.md,
 * ranks that are blocked). A call is here only while it waits, which costs no memory and no clock. Guarded by the
 * endpoint's lock.
 */
public final class BlockedCalls {
    /** Most awaited operations that a report names. */
    private static final int NAMED_MAX = 4;

    /**
     * The awaited object of a rank that is in no call and one of whose threads has ended with an exception: the reason
     * is unknown.
     */
    private static final Object ENDED_THREAD = new Object();

    /** Most characters of the exception that are reported. */
    private static final int CHARACTERS_MAX = 300;

    /**
     * The calls, in the order in which they began to wait, and what each waits for: an {@link Operation}, or several.
     */
    private final List<String> calls = new ArrayList<>();

    private final List<Object> awaited = new ArrayList<>();

    /** The awaited object of the longest-waiting call at the last look; null if none waited. */
    private Object lookedAt;

    private int looks;

    /** Number of calls reported to the relay, and whether the present one was reported. */
    private int number;

    private boolean told;

    /** Whether two calls ever waited at once: another thread may provide what this one waits for. */
    private boolean overlapped;

    /** The first program thread, apart from the main one, that has ended with an exception; null if none has. */
    private String endedThread;

    /** Handles a program thread that has ended with an exception: others may wait for work it no longer does. */
    public void threadEnded(String name, Throwable thrown) {
        if (endedThread == null) {
            String text = ("its thread \"" + name + "\" has ended by " + thrown).replaceAll("\\R", " ");
            endedThread = text.substring(0, Math.min(CHARACTERS_MAX, text.length()));
        }
    }

    private Object longest() {
        return awaited.isEmpty() ? endedThread == null ? null : ENDED_THREAD : awaited.get(0);
    }

    /**
     * Registers a call that begins to wait.
     *
     * @param what an operation, or an array of them
     */
    public void begin(String call, Object what) {
        overlapped |= !calls.isEmpty();
        calls.add(call);
        awaited.add(what);
    }

    /** Removes a call that waits no more. */
    public void end(Object what) {
        int at = awaited.size() - 1;
        while (awaited.get(at) != what) {
            at--;
        }
        awaited.remove(at);
        calls.remove(at);
    }

    /**
     * One look of the watch.
     *
     * @param moved whether bytes of the rank have moved since the last
     * @return whether {@link #word} has something to report
     */
    public boolean look(boolean moved) {
        Object longest = longest();
        if (longest == null || longest != lookedAt || moved) {
            lookedAt = longest;
            looks = longest == null ? 0 : 1;
            return told;
        }
        looks++;
        return looks >= CollectivePosition.LOOKS && (looks - CollectivePosition.LOOKS) % CollectivePosition.LOOKS_AGAIN == 0;
    }

    /**
     * The report to the relay; null if there is nothing to report any more.
     *
     * @param several whether several threads may call at once
     * @param asks whether the rank may still make requests: receives wait in it that are to be posted
     */
    public BlockedReport word(long job, int rank, boolean several, boolean asks) {
        if (looks < CollectivePosition.LOOKS) {
            boolean was = told;
            told = false;
            return was ? new BlockedReport(job, 0, 0, number, rank, -1, "", BlockedReport.POINT_TO_POINT) : null;
        }
        if (lookedAt == null || longest() != lookedAt) {
            return null;
        }
        number += told ? 0 : 1;
        told = true;
        if (lookedAt == ENDED_THREAD) {
            return new BlockedReport(job, 0, 0, number, rank, -1, "no call: " + endedThread, BlockedReport.POINT_TO_POINT);
        }
        List<Operation> open = open(lookedAt);
        int bits = BlockedReport.POINT_TO_POINT | (several || overlapped ? BlockedReport.AT_WORK : 0);
        OfferedSend send = asks || isOfAny(calls.get(0)) ? null : unmatched(open);
        String words = words(calls.get(0), lookedAt) + (endedThread == null ? "" : "; " + endedThread);
        if (send != null) {
            return new BlockedReport(job, send.context, send.sequence, number, rank, send.destination, words, bits | BlockedReport.SENDS);
        }
        int peer = open.size() == 1 ? open.get(0).awaited() : -1;
        return new BlockedReport(job, 0, 0, number, rank, peer, words, bits);
    }

    /** The first send of them that the relay has and that is not matched; null if there is none. */
    private static OfferedSend unmatched(List<Operation> open) {
        for (Operation operation : open) {
            if (operation instanceof OfferedSend offeredSend && offeredSend.isUncleared) {
                return offeredSend;
            }
        }
        return null;
    }

    private static List<Operation> open(Object what) {
        Operation[] all = what instanceof Operation[] several ? several : new Operation[] {(Operation) what};
        List<Operation> open = new ArrayList<>();
        for (Operation operation : all) {
            if (operation != null && !operation.isDone()) {
                open.add(operation);
            }
        }
        return open;
    }

    /** The text of a waiting call, in the program's terms. */
    public static String words(String call, Object what) {
        if (!(what instanceof Operation[] all)) {
            return isOfRequests(call) ? call + " of " + named((Operation) what) : inCall(call, (Operation) what);
        }
        int given = 0;
        for (Operation operation : all) {
            given += operation == null ? 0 : 1;
        }
        List<Operation> open = open(all);
        StringBuilder text = new StringBuilder(call).append(" of ");
        if (given > 1) {
            text.append(given).append(" operations, ").append(open.size()).append(" not done: ");
        }
        for (int i = 0; i < Math.min(NAMED_MAX, open.size()); i++) {
            text.append(i == 0 ? "" : ", ").append(named(open.get(i)));
        }
        return text.append(open.size() > NAMED_MAX ? ", and " + (open.size() - NAMED_MAX) + " more" : "").toString();
    }

    /** Waitany, Waitsome: one of several operations is enough. */
    private static boolean isOfAny(String call) {
        String name = call.toLowerCase(Locale.ROOT);
        return name.equals("waitany") || name.equals("waitsome");
    }

    /** Wait, waitFor, Free; not Recv, which makes its own operation. */
    private static boolean isOfRequests(String call) {
        String name = call.toLowerCase(Locale.ROOT);
        return name.startsWith("wait") || name.equals("free");
    }

    private static String inCall(String call, Operation operation) {
        String arguments = operation.arguments();
        return arguments == null ? call + ", behind " + named(operation) : call + arguments;
    }

    private static String named(Operation operation) {
        String arguments = operation.arguments();
        return arguments == null ? "a collective in the background" : (operation instanceof OfferedSend ? "a send " : "a receive ") + arguments;
    }
}
