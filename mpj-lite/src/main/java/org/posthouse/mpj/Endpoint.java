package org.posthouse.mpj;

import java.util.Optional;
import java.util.function.LongSupplier;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.checkpoint.CheckpointStore;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.ReplayLimit;

/**
 * A rank's end of the message-passing machine, used by the API layer and the collectives. All ranks are world ranks. A
 * context separates the traffic of one communicator (and of its collectives) from all others.
 *
 * <p>Thread-safe: several threads of a rank may wait at once. There is no progress thread: frames move while some
 * thread is inside one of these methods. If the connection or the job ends, the process ends ({@link #abort}).
 */
public interface Endpoint {
    /** The world rank; of a process that has taken a dead one's place a number of its own, from {@link #size} on (ADR 112). */
    int rank();

    /** Number of ranks of the job. */
    int size();

    /** Number of processes that the job's communicators may ever have, each with a number of its own. */
    default int processes() {
        return size();
    }

    /** Whether ranks that die get new processes, with which {@link RankFailures#rebuild} makes communicators. */
    default boolean isRebuildable() {
        return processes() > size();
    }

    /** Whether the job ends with a rank that stays dead, or has none, so that no communicator ever lacks a process. */
    default boolean isAlwaysWhole() {
        return failures().isEmpty();
    }

    /** Whether this process has taken the place of a dead one of its rank. */
    default boolean isRebuilt() {
        return rank() >= size();
    }

    /** Number of the site that {@code rank} runs at, from 0; ranks of one site have one number. */
    int siteOf(int rank);

    /** Starts a send in standard mode. */
    default Operation send(int context, int destination, int tag, Content content) {
        return send(context, destination, tag, content, SendMode.STANDARD);
    }

    /**
     * Starts a send. In standard mode a small message is complete on return. A large one, or any message when the rank
     * is out of credit, is complete when it was matched and its bytes were sent. In synchronous mode that holds for
     * every message.
     */
    Operation send(int context, int destination, int tag, Content content, SendMode mode);

    /**
     * Whether a send of this size may have to wait for its receive, for a reason other than credit. The answer depends
     * on nothing else, and never changes.
     */
    boolean mayWaitForReceive(long bytes, SendMode mode);

    /**
     * Posts a receive.
     *
     * @param source a world rank, or {@link org.posthouse.wire.Wire#ANY}
     * @param tag a tag, or {@link org.posthouse.wire.Wire#ANY}
     */
    Operation receive(int context, int source, int tag, Sink sink);

    /** Starts a receive and a send in standard mode together. */
    default Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content) {
        return exchange(context, source, receiveTag, sink, destination, sendTag, content, SendMode.STANDARD);
    }

    /**
     * Starts a receive and a send together, with one write to the wire.
     *
     * @return the receive, then the send
     */
    Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content, SendMode mode);

    /**
     * Makes an operation that no frame ends, only {@link #end}: for a collective that runs in a thread of its own.
     * Other threads wait for it as for any other.
     */
    Operation begin();

    /** Ends an operation of {@link #begin}. */
    void end(Operation operation);

    /** Blocks until the operation is done. */
    default void await(Operation operation) {
        await(operation, null);
    }

    /**
     * Blocks until the operation is done.
     *
     * @param call the call of the program, for people if it lasts (docs/wire.md, ranks that are blocked); null in a
     * collective, which has a {@link #presence}
     */
    void await(Operation operation, String call);

    /** Blocks until all of the operations are done, like one {@link #await} after the other; nulls are skipped. */
    void awaitAll(Operation[] operations, String call);

    /** As {@link #awaitAny(Operation[], String)}, outside any call of the program. */
    default int awaitAny(Operation[] operations) {
        return awaitAny(operations, null);
    }

    /**
     * Blocks until one of the operations is done. The choice is an event, since it depends on the time of arrival.
     *
     * @param operations at least one that is not null; nulls are skipped
     * @param call as {@link #await}
     * @return the lowest index of those that are done
     */
    int awaitAny(Operation[] operations, String call);

    /** Whether the operation is done, after the available frames are handled. False counts as a failed poll. */
    default boolean test(Operation operation) {
        return test(operation, true);
    }

    /**
     * As above.
     *
     * @param move whether to look for frames first, which costs a system call for each of many operations; if not, only
     * where the last look has found some
     */
    boolean test(Operation operation, boolean move);

    /**
     * Cancels an operation if nothing has matched it yet: a receive, or a send whose bytes have not left (synchronous,
     * large, or sent without credit). Blocks until the outcome is known. The outcome is an event.
     *
     * @return whether it is cancelled: then it is done, and nothing was sent or received. If not, it completes as if no
     * cancel had been tried, and its completion may have been seen meanwhile
     */
    boolean cancel(Operation operation);

    /** As {@link #probe(int, int, int, String)}, outside any call of the program. */
    default Envelope probe(int context, int source, int tag) {
        return probe(context, source, tag, null);
    }

    /**
     * Blocks until a matching message is there, and returns its envelope. The message stays.
     *
     * @param call as {@link #await}
     */
    Envelope probe(int context, int source, int tag, String call);

    /** The envelope of a matching message that is there now. Null if there is none, which counts as a failed poll. */
    Envelope tryProbe(int context, int source, int tag);

    /**
     * A value that another process would not have, such as a seed. It is an event: a process that replaces this one
     * gets the same value.
     */
    long value(LongSupplier source);

    /**
     * Asks the relay's name service, and waits for the answer. It is no event: a caller that shows the program what was answered records that with {@link
     * #value}, and asks within its source only.
     */
    NameAnswer names(NameAsk ask);

    /**
     * Nanoseconds since some time in the past, as {@link System#nanoTime}, but recorded as {@link #value}. After a
     * restart the clock continues from where it was. A program that asks very often and does nothing else gets the same
     * time again, which counts as a failed poll.
     */
    long nanoTime();

    /** Whether the next observation was made by an earlier process, as far as is known. */
    default boolean isReplaying() {
        return false;
    }

    /**
     * Declares that this process cannot be replayed from here on: its behaviour may depend on something that is not
     * recorded.
     */
    void limit(ReplayLimit reason);

    /** Joins this process to joint jobs; empty without a relay. */
    default Optional<JobJoiner> joiner() {
        return Optional.empty();
    }

    /** The failures of other ranks; empty if the program is told of none, because the job is logged or has no relay. */
    default Optional<RankFailures> failures() {
        return Optional.empty();
    }

    /** The store for this rank's state between its processes. */
    CheckpointStore vault();

    /**
     * Makes the record of the rank's position in the collectives of one communicator. When its call and another rank's
     * do not match, everything under way in {@code context} ends with {@link ReceiveException.Kind#MISMATCH} until it
     * leaves.
     *
     * @param worldRanks the communicator's members in their order
     * @param first number of the collectives that are before the first
     */
    CollectivePosition presence(int context, int[] worldRanks, int first);

    /** Whether {@link #close} was called: every further call throws a {@link FinalizedException}. */
    boolean isClosed();

    /** Waits until all sends have left, sends FINALIZE and closes. The endpoint cannot be used afterwards. */
    void close();

    /**
     * Ends this process because its state can be neither saved nor restored, and nothing it might do from here on could
     * be repeated. Another process is started in its place and replays to this point, as after a crash. Does not return
     * in a process of its own; otherwise the caller throws the result.
     *
     * @param why in one line
     */
    IllegalStateException giveUp(String why);

    /** Ends the whole job with {@code status} and this process with it. Does not return. */
    void abort(int status, String why);
}
