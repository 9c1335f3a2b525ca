package org.posthouse.names;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Whether a back end answers. After a failure it is asked again and again, at first soon and then less and less often, and nothing else goes to it until it
 * has answered: what cannot succeed is refused at once. Confined to the front end's executor, except for {@link #unavailable}.
 */
final class BackEndHealth {
    /** Milliseconds until the first probe after a failure; each further one waits twice as long. */
    static final long FIRST_MS = 500;

    /** Most milliseconds between two probes. */
    static final long LAST_MS = 10_000;

    private static final Name PROBED = Name.parse("posthouse");

    private final NameService backEnd;
    private final Alarm alarm;
    private final Executor executor;
    private final Consumer<Optional<String>> onChange;
    private long pauseMs = FIRST_MS;
    private long probeAt;
    private boolean closed;

    /** Why it does not answer; null if it does. Written by the executor, read by any thread. */
    private volatile String why;

    /** @param onChange told why the back end does not answer any more, or nothing when it does again */
    BackEndHealth(NameService backEnd, Alarm alarm, Executor executor, Consumer<Optional<String>> onChange) {
        this.backEnd = backEnd;
        this.alarm = alarm;
        this.executor = executor;
        this.onChange = onChange;
    }

    /** Asks the back end once, so that its state is known before anybody needs it. */
    void probe() {
        if (closed) {
            return;
        }
        backEnd.lookup(PROBED).whenCompleteAsync((bound, fault) -> {
            NameException known = fault == null ? null : Faults.of(fault);
            if (known == null || known.kind() != NameException.Kind.UNAVAILABLE) {
                answered();
            } else if (known.isDown()) {
                failed(known);
                again();
            } else if (why != null) {
                again(); // That it is busy does not tell that it answers.
            }
        }, executor);
    }

    private void again() {
        probeAt = alarm.now() + pauseMs;
        alarm.after(pauseMs, this::probe);
        pauseMs = Math.min(LAST_MS, 2 * pauseMs);
    }

    /** Refuses what cannot succeed now. @throws NameException with the time of the next probe */
    void check() {
        String known = why;
        if (known != null) {
            throw NameException.unavailable(known, Math.max(0, probeAt - alarm.now()));
        }
    }

    /** Notes a failure. */
    void note(NameException fault) {
        if (fault.isDown() && why == null) {
            failed(fault);
            again();
        }
    }

    private void failed(NameException fault) {
        boolean isNew = why == null;
        why = fault.getMessage();
        if (isNew) {
            onChange.accept(Optional.of(why));
        }
    }

    private void answered() {
        pauseMs = FIRST_MS;
        if (why != null) {
            why = null;
            onChange.accept(Optional.empty());
        }
    }

    /** Why the back end does not answer; empty if it does, or was not asked yet. Thread-safe. */
    Optional<String> unavailable() {
        return Optional.ofNullable(why);
    }

    void close() {
        closed = true;
    }
}
