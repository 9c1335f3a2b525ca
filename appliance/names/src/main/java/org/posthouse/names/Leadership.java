package org.posthouse.names;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * One front end's part in having always one leader. A leader changes a heartbeat record every {@link #BEAT_TICKS} seconds, with its election's count as epoch.
 * A front end that has seen no change for {@link #SILENCE_TICKS} contends in the next election. A leader whose heartbeats were not taken for {@link
 * #GIVE_UP_TICKS} holds itself for none, before others elect one. If it has slept it may be late for that: what it writes has an epoch that is over, and
 * replaces nothing.
 *
 * <p>Time is counted in ticks of this front end, so that no clock of another is believed, and a process that was stopped does not take the others for silent.
 * Confined to the executor, but for {@link #leader}.
 */
public final class Leadership {
    /** Milliseconds between ticks. */
    public static final long TICK_MS = 1_000;

    /** Ticks between a leader's heartbeats. */
    static final int BEAT_TICKS = 3;

    /** Ticks without a change of the heartbeat after which others contend. */
    static final int SILENCE_TICKS = 10;

    /** Ticks without a heartbeat that was taken after which a leader gives up. */
    static final int GIVE_UP_TICKS = 8;

    /** Ticks at the start in which the heartbeat of a leader that is there comes. */
    private static final int START_TICKS = 2;

    private final NameService names;
    private final LongFunction<CompletionStage<Leader>> elections;
    private final Alarm alarm;
    private final Executor executor;
    private final Name token;
    private final Name heartbeat;
    private final String self;
    private final Consumer<Optional<Leader>> onChange;

    /** The election that this front end has won and leads by; 0 if it does not lead. */
    private long ownCount;

    /** The last election whose winner was waited for. */
    private long knownCount;

    private long heartbeatVersion;
    private int silentTicks = SILENCE_TICKS - START_TICKS;
    private int ticksSinceBeat;
    private int ticksSinceTaken;
    private boolean isBusy;
    private boolean closed;
    private NameService.Subscription subscription = () -> {};

    /** Who leads, as far as this front end knows. Written by the executor, read by any thread. */
    private volatile Optional<Leader> leader = Optional.empty();

    /**
     * @param elections contends as {@code self} for the token's election behind a known one, as {@link Election#contend(String, long)}
     * @param self the contender and its front end
     * @param onChange told, on the executor, who leads from now on, or that nobody is known to
     */
    public Leadership(NameService names, LongFunction<CompletionStage<Leader>> elections, Alarm alarm, Executor executor, Name token, String self,
            Consumer<Optional<Leader>> onChange) {
        this.names = names;
        this.elections = elections;
        this.alarm = alarm;
        this.executor = executor;
        this.token = token;
        this.heartbeat = token.beside("-heartbeat");
        this.self = self;
        this.onChange = onChange;
    }

    /** Begins. */
    public void start() {
        executor.execute(() -> {
            subscription = names.listen(heartbeat, change -> executor.execute(() -> onHeartbeat(change)));
            alarm.after(TICK_MS, this::tick);
        });
    }

    /** Who leads; empty if nobody is known to. Thread-safe. */
    public Optional<Leader> leader() {
        return leader;
    }

    /** The epoch of what this front end writes as leader; 0 if it does not lead. Confined to the executor. */
    public long ownCount() {
        return ownCount;
    }

    private void onHeartbeat(NameChange change) {
        if (closed || !change.bound().name().equals(heartbeat) || change.bound().version() < heartbeatVersion) {
            return;
        }
        if (!change.present()) {
            heartbeatVersion = 0;
            silentTicks = SILENCE_TICKS; // Its leader has left.
            if (ownCount == 0) {
                become(Optional.empty());
            }
            return;
        }
        if (change.bound().version() > heartbeatVersion) {
            heard(change.bound());
        }
    }

    private void heard(BoundName beat) {
        heartbeatVersion = beat.version();
        silentTicks = 0;
        long count = beat.record().epoch();
        knownCount = Math.max(knownCount, count);
        if (count > ownCount) {
            ownCount = 0;
            become(Optional.of(Leader.of(beat.record())));
        }
    }

    private void tick() {
        if (closed) {
            return;
        }
        alarm.after(TICK_MS, this::tick);
        if (ownCount > 0) {
            ticksSinceBeat++;
            ticksSinceTaken++;
            if (ticksSinceTaken >= GIVE_UP_TICKS) {
                stepDown();
            } else if (ticksSinceBeat >= BEAT_TICKS && !isBusy) {
                beat();
            }
            return;
        }
        silentTicks++;
        if (silentTicks >= SILENCE_TICKS && !isBusy) {
            look();
        }
    }

    /** Changes may have been missed: contends only if the heartbeat is the one that was known. */
    private void look() {
        then(names.lookup(heartbeat), (found, fault) -> {
            if (fault != null) {
                lost();
            } else if (found.isPresent() && found.get().version() > heartbeatVersion) {
                heard(found.get());
            } else {
                lost();
                contend();
            }
        });
    }

    private void lost() {
        if (leader.isPresent()) {
            become(Optional.empty());
        }
    }

    private void contend() {
        long replaced = knownCount;
        then(elections.apply(replaced), (elected, fault) -> {
            if (fault != null) {
                return; // The next tick contends again.
            }
            if (elected.count() <= knownCount && knownCount > replaced) {
                return; // A heartbeat of a later election has come meanwhile.
            }
            silentTicks = 0;
            knownCount = elected.count();
            if (elected.contender().equals(self) && elected.frontEnd().equals(self)) {
                ownCount = elected.count();
                ticksSinceTaken = 0;
                become(Optional.of(elected));
                beat();
            } else {
                become(Optional.of(elected));
            }
        });
    }

    private void beat() {
        Leader now = leader.orElseThrow();
        ticksSinceBeat = 0;
        then(names.lookup(heartbeat).thenCompose(found -> names.swap(heartbeat, found.map(BoundName::version).orElse(0L), now.record())), (bound, fault) -> {
            if (ownCount != now.count()) {
                return; // It has stepped down meanwhile.
            }
            if (fault == null) {
                ticksSinceTaken = 0;
                heartbeatVersion = Math.max(heartbeatVersion, bound.version());
            } else if (fault.found().filter(found -> found.record().epoch() > now.count()).isPresent()) {
                stepDown();
                heard(fault.found().get());
            }
        });
    }

    private void stepDown() {
        ownCount = 0;
        silentTicks = 0;
        become(Optional.empty());
    }

    private void become(Optional<Leader> next) {
        if (!next.equals(leader)) {
            leader = next;
            onChange.accept(next);
        }
    }

    /**
     * Leaves; if this front end leads, the others hear of it at once.
     *
     * @return complete when the names were told, or could not be; never fails
     */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        executor.execute(() -> {
            closed = true;
            subscription.close();
            long count = ownCount;
            ownCount = 0;
            leader = Optional.empty();
            if (count == 0) {
                left.complete(null);
                return;
            }
            names.lookup(heartbeat).thenCompose(found -> found.filter(beat -> beat.record().epoch() == count)
                    .map(beat -> names.unbind(heartbeat, beat.version()))
                    .orElseGet(() -> CompletableFuture.completedFuture(false))).whenComplete((done, fault) -> left.complete(null));
        });
        return left;
    }

    /** Goes on with an answer on the executor. Nothing else is asked meanwhile. */
    private <T> void then(CompletionStage<T> asked, BiConsumer<T, NameException> with) {
        isBusy = true;
        asked.whenCompleteAsync((answer, fault) -> {
            isBusy = false;
            if (!closed) {
                with.accept(answer, fault == null ? null : Faults.of(fault));
            }
        }, executor);
    }
}
