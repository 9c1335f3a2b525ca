package org.posthouse.bench.detectors;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** A process that stands still now and then. What reaches it then waits, and comes in any order with its own timers. */
class PausableProcess {
    private final VirtualTime time;
    private final RandomGenerator random;
    private final List<Runnable> held = new ArrayList<>();
    private boolean isPaused;
    private boolean isDead;

    PausableProcess(VirtualTime time, RandomGenerator random, NetworkConditions conditions) {
        this.time = time;
        this.random = random;
        if (conditions.pauseEveryNanos() > 0) {
            pauseLater(conditions);
        }
    }

    private void pauseLater(NetworkConditions conditions) {
        long until = (long) (-Math.log(1 - random.nextDouble()) * conditions.pauseEveryNanos());
        time.after(until, () -> {
            isPaused = true;
            time.after(conditions.pauseNanos(), () -> {
                resume();
                pauseLater(conditions);
            });
        });
    }

    private void resume() {
        isPaused = false;
        List<Runnable> waiting = new ArrayList<>(held);
        held.clear();
        while (!waiting.isEmpty() && !isDead) {
            waiting.remove(random.nextInt(waiting.size())).run();
        }
    }

    /** Runs an action of the process: a timer's, or that of a message. */
    final void run(Runnable action) {
        if (isDead) {
            return;
        }
        if (isPaused) {
            held.add(action);
        } else {
            action.run();
        }
    }

    /** Power is off: it does nothing any more, and nobody is told. */
    final void die() {
        isDead = true;
        held.clear();
    }

    final boolean isDead() {
        return isDead;
    }
}
