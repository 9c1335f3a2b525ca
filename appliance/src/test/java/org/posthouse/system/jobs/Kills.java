package org.posthouse.system.jobs;

import java.util.HashMap;
import java.util.Map;

/**
 * At which of its deliveries each process of a rank dies, as SIGKILL would have it: {@code 0:3,9;2:5} ends rank 0's first
 * process at its third delivery, its second at its ninth, and rank 2's first at its fifth.
 */
final class Kills {
    private static final int KILLED = 137;

    private final Map<Integer, int[]> atDelivery = new HashMap<>();
    private final int rank;
    private int deliveries;

    Kills(String plan, int rank) {
        this.rank = rank;
        for (String part : plan.isEmpty() ? new String[0] : plan.split(";")) {
            String[] whoAndWhen = part.split(":");
            String[] when = whoAndWhen[1].split(",");
            int[] at = new int[when.length];
            for (int i = 0; i < at.length; i++) {
                at[i] = Integer.parseInt(when[i]);
            }
            atDelivery.put(Integer.valueOf(whoAndWhen[0]), at);
        }
    }

    /** The program has received a message. */
    void delivered() {
        if (now() == ++deliveries) {
            Runtime.getRuntime().halt(KILLED);
        }
    }

    /** The number at which this process dies; 0 if it does not. */
    int now() {
        int incarnation = Integer.parseInt(System.getenv().getOrDefault("POSTHOUSE_INCARNATION", "1"));
        int[] at = atDelivery.getOrDefault(rank, new int[0]);
        return incarnation <= at.length ? at[incarnation - 1] : 0;
    }
}
