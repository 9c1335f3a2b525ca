package org.posthouse.names;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Front ends and one back end in simulated time: every message takes a random time, some are lost, and a front end may die or sleep at any of them. One seed is
 * one run.
 */
final class SimulatedWorld {
    private record Event(long at, long order, Runnable work) {}

    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final Random random;
    private final MemoryNames backEnd = new MemoryNames();
    private final int lostPercent;
    private long now = 1_000_000;
    private long order;

    /** Names that were bound, by the front end that asked. */
    final List<String> binds = new ArrayList<>();

    SimulatedWorld(long seed, int lostPercent) {
        this.random = new Random(seed);
        this.lostPercent = lostPercent;
    }

    MemoryNames backEnd() {
        return backEnd;
    }

    long now() {
        return now;
    }

    Random random() {
        return random;
    }

    void after(long millis, Runnable work) {
        events.add(new Event(now + millis, order++, work));
    }

    /** Runs until nothing is left to be done, or a time is over. */
    void run(long millisMax) {
        long end = now + millisMax;
        while (!events.isEmpty() && events.peek().at <= end) {
            Event event = events.remove();
            now = event.at;
            event.work.run();
        }
        now = Math.max(now, end);
    }

    /** One front end's process. */
    final class FrontEnd implements Executor, Alarm, NameService {
        private final String name;
        private boolean isDead;
        private long asleepUntil;

        /** Whether nothing comes through to the back end or from it. */
        boolean isCut;

        /** Calls to the back end that are still let through; then the process dies. */
        int callsLeft = Integer.MAX_VALUE;

        FrontEnd(String name) {
            this.name = name;
        }

        void sleep(long millis) {
            asleepUntil = now + millis;
        }

        void die() {
            isDead = true;
        }

        boolean isDead() {
            return isDead;
        }

        @Override
        public void execute(Runnable work) {
            SimulatedWorld.this.after(0, () -> inside(work));
        }

        private void inside(Runnable work) {
            if (isDead) {
                return;
            }
            if (now < asleepUntil) {
                SimulatedWorld.this.after(asleepUntil - now, () -> inside(work));
            } else {
                work.run();
            }
        }

        @Override
        public void after(long millis, Runnable work) {
            SimulatedWorld.this.after(millis, () -> inside(work));
        }

        @Override
        public long now() {
            return now;
        }

        private long way() {
            return 1 + random.nextInt(60);
        }

        /** Either way may lose it; then the caller hears UNAVAILABLE, and does not know whether it was done. */
        private <T> CompletionStage<T> call(Supplier<CompletionStage<T>> work) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            if (callsLeft-- <= 0) {
                die();
                return answer;
            }
            boolean isLostThere = isCut || random.nextInt(100) < lostPercent;
            boolean isLostBack = isCut || random.nextInt(100) < lostPercent;
            SimulatedWorld.this.after(way(), () -> {
                CompletableFuture<T> done = isLostThere ? lost() : work.get().toCompletableFuture();
                SimulatedWorld.this.after(way(), () -> (isLostBack ? SimulatedWorld.<T>lost() : done).whenComplete((value, fault) -> {
                    if (fault == null) {
                        answer.complete(value);
                    } else {
                        answer.completeExceptionally(fault);
                    }
                }));
            });
            return answer;
        }

        @Override
        public CompletionStage<BoundName> bind(Name bound, NameRecord record) {
            binds.add(name + " " + bound);
            return call(() -> backEnd.bind(bound, record));
        }

        @Override
        public CompletionStage<BoundName> rebind(Name bound, NameRecord record) {
            return call(() -> backEnd.rebind(bound, record));
        }

        @Override
        public CompletionStage<BoundName> swap(Name bound, long expected, NameRecord record) {
            return call(() -> backEnd.swap(bound, expected, record));
        }

        @Override
        public CompletionStage<Optional<BoundName>> lookup(Name bound) {
            return call(() -> backEnd.lookup(bound));
        }

        @Override
        public CompletionStage<Boolean> unbind(Name bound, long expected) {
            return call(() -> backEnd.unbind(bound, expected));
        }

        @Override
        public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
            return call(() -> backEnd.list(prefix, limit, after));
        }

        /** A change may be heard late, or not at all. */
        @Override
        public Subscription listen(Name prefix, Consumer<NameChange> listener) {
            return backEnd.listen(prefix, change -> {
                if (!isCut && random.nextInt(100) >= lostPercent) {
                    SimulatedWorld.this.after(way(), () -> listener.accept(change));
                }
            });
        }

        @Override
        public void close() {
            die();
        }
    }

    private static <T> CompletableFuture<T> lost() {
        return CompletableFuture.failedFuture(new NameException(NameException.Kind.UNAVAILABLE, "lost"));
    }
}
