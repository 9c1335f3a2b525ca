package org.posthouse.mpj;

import java.util.function.LongSupplier;
import org.posthouse.wire.ReplayLimit;

/**
 * A rank's end of the message-passing machine: what the API layer and the collectives stand on. All ranks are world
 * ranks; a context separates the traffic of one communicator (and of its collectives) from all others.
 *
 * <p>Thread-safe: several threads of a rank may wait at once. There is no progress thread; frames move while some
 * thread is inside one of these methods. If the connection or the job ends, the process ends ({@link #abort}).
 */
public interface Endpoint {
    int rank();

    int size();

    /** Number of the site that {@code rank} runs at, from 0; ranks of one site have one number. */
    int siteOf(int rank);

    /** Starts a send in standard mode. */
    default Operation send(int context, int destination, int tag, Content content) {
        return send(context, destination, tag, content, SendMode.STANDARD);
    }

    /**
     * Starts a send. In standard mode small messages are complete on return; a large one, or any when the rank is out of
     * credit, is complete when it was matched and its bytes have left. In synchronous mode that holds for every message.
     */
    Operation send(int context, int destination, int tag, Content content, SendMode mode);

    /** Whether a send of so many bytes may have to wait for its receive, and not for credit alone. Depends on nothing else, and never changes. */
    boolean mayWaitForReceive(long bytes, SendMode mode);

    /**
     * Posts a receive.
     *
     * @param source a world rank, or {@link org.posthouse.wire.Wire#ANY}
     * @param tag a tag, or {@link org.posthouse.wire.Wire#ANY}
     */
    Operation receive(int context, int source, int tag, Sink sink);

    /** A receive and a send in standard mode started together. */
    default Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content) {
        return exchange(context, source, receiveTag, sink, destination, sendTag, content, SendMode.STANDARD);
    }

    /**
     * A receive and a send started together, with one write to the wire.
     *
     * @return the receive, then the send
     */
    Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content, SendMode mode);

    /**
     * An operation that no message ends but {@link #end}: that of a collective which runs in a thread of its own. Other
     * threads wait for it as for any other.
     */
    Operation begin();

    /** Ends what {@link #begin} made. */
    void end(Operation operation);

    /** Blocks until the operation is done. */
    default void await(Operation operation) {
        await(operation, null);
    }

    /**
     * The same.
     *
     * @param call in which call of the program, for people if it lasts (docs/wire.md, ranks that are blocked); null if that is a collective, which has
     *     a {@link #presence}
     */
    void await(Operation operation, String call);

    /** Blocks until all of the operations are done, as one {@link #await} after the other; nulls are skipped. */
    void awaitAll(Operation[] operations, String call);

    /** As {@link #awaitAny(Operation[], String)}, in no call of the program. */
    default int awaitAny(Operation[] operations) {
        return awaitAny(operations, null);
    }

    /**
     * Blocks until one of the operations is done. Which one is an event of its own: it depends on the time of arrival.
     *
     * @param operations at least one that is not null; nulls are skipped
     * @param call as {@link #await}
     * @return the lowest index of those that are done
     */
    int awaitAny(Operation[] operations, String call);

    /** Whether the operation is done, after moving what frames there are; a false is counted as a failed poll. */
    default boolean test(Operation operation) {
        return test(operation, true);
    }

    /** The same. @param move whether to look for frames first, which for each of many operations costs a system call; if not, only where the last look has found some */
    boolean test(Operation operation, boolean move);

    /**
     * Takes an operation back if nothing has matched it yet, and blocks until that is known: a receive, or a send whose
     * bytes have not left (synchronous, large, or sent without credit). The outcome is an event of its own.
     *
     * @return whether it is cancelled: then it is done, and nothing was sent or received. If not, it completes as if
     *     nobody had tried, and its completion may have been seen meanwhile
     */
    boolean cancel(Operation operation);

    /** As {@link #probe(int, int, int, String)}, in no call of the program. */
    default Envelope probe(int context, int source, int tag) {
        return probe(context, source, tag, null);
    }

    /** Blocks until a matching message is there, and says which; it stays where it is. @param call as {@link #await} */
    Envelope probe(int context, int source, int tag, String call);

    /** A matching message that is there now, or null, which is counted as a failed poll. */
    Envelope tryProbe(int context, int source, int tag);

    /**
     * A value that another process would not have, such as a seed. It is an event of its own: a process that is started in
     * this one's place gets the same.
     */
    long value(LongSupplier source);

    /**
     * Nanoseconds since some time in the past, as {@link System#nanoTime}, but as {@link #value}; behind a restart it goes on from where it was. A program
     * that asks very often and does nothing else is told the same time again, which counts as a failed poll.
     */
    long nanoTime();

    /** From here on this process is not to be started again: what it does may depend on what is not recorded. */
    void limit(ReplayLimit reason);

    /** Where this rank's state is kept from one of its processes to the next. */
    CheckpointStore vault();

    /**
     * A place to say in which collective of a communicator this rank is. When its call and another rank's do not match,
     * what is under way in {@code context} ends with {@link ReceiveException.Kind#MISMATCH}, until it leaves.
     *
     * @param worldRanks the communicator's members in their order
     * @param first number of the collectives that are before the first
     */
    CollectivePosition presence(int context, int[] worldRanks, int first);

    /** Whether {@link #close} was called: every further call throws a {@link FinalizedException}. */
    boolean isClosed();

    /** Waits until all sends have left, says goodbye to the relay and closes. The endpoint is of no use afterwards. */
    void close();

    /**
     * Ends this process: its state can be neither saved nor restored, and nothing that it might do from here on could be done again. Another
     * is brought back to where it is, as after an accident. Does not return in a process of its own; else what it returns is to be thrown.
     *
     * @param why in one line
     */
    IllegalStateException giveUp(String why);

    /** Ends the whole job with {@code status} and this process with it. Does not return. */
    void abort(int status, String why);
}
