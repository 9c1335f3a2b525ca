package org.posthouse.core;

import java.util.Random;

/** One direction of a connection: delays at random, never reorders; when it is cut, what is under way is lost. */
final class SimPipe {
    private final SimClock clock;
    private final Random random;
    private final int delayMax;
    private long last;
    private long bytesUnderWay;
    private boolean cut;

    SimPipe(SimClock clock, Random random, int delayMax) {
        this.clock = clock;
        this.random = random;
        this.delayMax = delayMax;
    }

    void send(int bytes, Runnable arrive) {
        last = Math.max(last, clock.now() + random.nextInt(delayMax + 1));
        bytesUnderWay += bytes;
        clock.at(last, () -> {
            bytesUnderWay -= bytes;
            if (!cut) {
                arrive.run();
            }
        });
    }

    /** What is sent from now on arrives no earlier than what {@code other} was given so far. */
    void behind(SimPipe other) {
        last = Math.max(last, other.last);
    }

    void cut() {
        cut = true;
    }

    long bytesUnderWay() {
        return bytesUnderWay;
    }
}
