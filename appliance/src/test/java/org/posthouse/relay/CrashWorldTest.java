package org.posthouse.relay;

import org.junit.jupiter.api.Test;

/** Thousands of random programs in random worlds whose ranks and relays are killed. */
final class CrashWorldTest {
    @Test
    void anyProgramComesToItsEnd() {
        int count = Integer.getInteger("n", 20);
        int from = Integer.getInteger("from", 1);
        int bad = 0;
        int troubles = 0;
        long t0 = System.nanoTime();
        for (long seed = from; seed < from + count; seed++) {
            CrashWorld world = new CrashWorld(seed, Boolean.parseBoolean(System.getProperty("troubled", "true")), Boolean.getBoolean("traced"));
            try {
                world.run();
            } catch (RuntimeException | AssertionError e) {
                bad++;
                System.out.println("SEED " + seed + " " + world.script().phases() + " " + e);
                if (Boolean.getBoolean("traced")) {
                    System.out.println(world.trace());
                    e.printStackTrace(System.out);
                }
            }
            troubles += world.troubles();
        }
        System.out.printf("%d seeds, %d bad, %d troubles, %.1f seeds/s%n", count, bad, troubles, count * 1e9 / (System.nanoTime() - t0));
        if (bad > 0) throw new AssertionError(bad + " bad");
    }
}
