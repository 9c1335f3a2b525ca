package mpi;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.posthouse.mpj.operation.Operation;

/**
 * Operations that this process has begun and whose end its program has not seen. While there are any, no image can be
 * made of the process (ADR 20). They follow from the program's calls and their results, and never from arrivals. So
 * they are the same in every restored process. A query costs eight reads. Thread-safe.
 */
final class OutstandingOperations {
    /** The kind of operation that a request completes. */
    enum Kind {
        RECEIVE,
        /** A send that may have to wait for its receive: of others the machine has the message when the call returns, or can take it. */
        SEND
    }

    private final AtomicInteger receives = new AtomicInteger();
    private final AtomicInteger sends = new AtomicInteger();
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicInteger collectives = new AtomicInteger();

    /** The ends of the collectives that go on in threads of their own. */
    private final Set<Operation> started = ConcurrentHashMap.newKeySet();

    /** Agreements of which the program may not have seen the end. */
    private final Set<Operation> agreements = ConcurrentHashMap.newKeySet();

    // Whether something was freed, or left in the middle, whose end nobody can see: that never changes again.
    // Written by any thread of the program, read by the one that saves.
    private volatile boolean freed;
    private volatile boolean sendFreed;
    private volatile boolean broken;

    /** Whether a message of the attached buffer may have to wait for its receive: only the buffer's detach tells its end. Written under the buffer's lock, read by the thread that saves. */
    private volatile boolean buffered;

    private AtomicInteger of(Kind kind) {
        return kind == Kind.RECEIVE ? receives : sends;
    }

    /** One is called. */
    void begun(Kind kind) {
        of(kind).incrementAndGet();
    }

    /** The program has seen its end. */
    void seen(Kind kind) {
        of(kind).decrementAndGet();
    }

    /** The program forgets one before its end. */
    void forgotten(Kind kind) {
        if (kind == Kind.RECEIVE) {
            freed = true;
        } else {
            sendFreed = true;
        }
        seen(kind);
    }

    /** A message of the attached buffer may have to wait for its receive; or the buffer was detached, and all of its messages have left. */
    void buffered(boolean waits) {
        buffered = waits;
    }

    /** A message was taken out of the machine. */
    void taken() {
        messages.incrementAndGet();
    }

    /** The program has got it. */
    void takenSeen() {
        messages.decrementAndGet();
    }

    void collective() {
        collectives.incrementAndGet();
    }

    /** An agreement is begun. Those before it, of which the program has seen the end, are forgotten: a program may agree often and save nothing. */
    void agreement(Operation operation) {
        agreements.removeIf(Operation::isSeen);
        agreements.add(operation);
    }

    private boolean isAgreeing() {
        if (agreements.isEmpty()) {
            return false; // Each point asks, and visiting an empty set costs memory too.
        }
        agreements.removeIf(Operation::isSeen);
        return !agreements.isEmpty();
    }

    /** It goes on in a thread of its own. */
    void started(Operation end) {
        started.add(end);
    }

    /** Its thread has ended it. */
    void ended(Operation end) {
        started.remove(end);
    }

    /**
     * Ends of collectives in threads of their own. This process may leave only after all of them, whether the program
     * has waited for them or not.
     */
    Set<Operation> started() {
        return started;
    }

    void collectivesSeen(int count) {
        collectives.addAndGet(-count);
    }

    /** A collective was left in the middle, so that receives of it may have stayed behind. */
    void collectiveBroken() {
        broken = true;
    }

    boolean isNothing() {
        return receives.get() == 0
                && sends.get() == 0
                && messages.get() == 0
                && collectives.get() == 0
                && !buffered
                && !isAgreeing()
                && !freed
                && !sendFreed
                && !broken;
    }

    /** The outstanding operation, as the rest of a sentence; null if there is none. */
    String words(CollectiveCounters collectiveCounters) {
        if (receives.get() > 0) {
            return "a receive is under way, expected none: wait for it first, also if it was cancelled";
        } else if (sends.get() > 0) {
            return "a send is under way that may have to wait for its receive (longer than --eager-max, or synchronous), expected none: wait for it first";
        } else if (messages.get() > 0) {
            return "a message of a matched probe was not received, expected none: receive it first";
        } else if (collectives.get() > 0) {
            return "a collective" + collectiveCounters.whereUnderWay() + " is under way, expected none: wait for it first";
        } else if (isAgreeing()) {
            return "an agreement is under way (agree, iAgree, agreeFailed, shrink, iShrink), expected none: wait for it first";
        } else if (buffered) {
            return "a message of the attached buffer may have to wait for its receive (longer than --eager-max), expected none: detach the buffer first";
        } else if (freed) {
            return "a receive was freed before its completion was seen, which can never be known now: wait for receives, or cancel them first";
        } else if (sendFreed) {
            return "a send was freed before its completion was seen (longer than --eager-max, or synchronous), which can never be known now: wait for sends, or cancel them first";
        }
        return broken ? "a collective has thrown what is no receive's error, and may have left receives that nobody waits for" : null;
    }
}
