package org.posthouse.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import java.util.Locale;

/**
 * The sums over one job's ranks.
 *
 * @param here ranks that are connected
 * @param waiting ranks that have been inside one call for seconds
 * @param restarts processes beyond the first of each rank
 * @param messages sent so far
 * @param bytes sent so far
 */
record TopJob(int here, int waiting, int restarts, LongNode messages, LongNode bytes) {
    static TopJob of(JsonNode job) {
        int here = 0;
        int waiting = 0;
        int restarts = 0;
        long messages = 0;
        long bytes = 0;
        for (JsonNode rank : job.path("ranks")) {
            here += rank.path("state").asText().equals("CONNECTED") ? 1 : 0;
            waiting += rank.path("blockedIn").asText().isEmpty() ? 0 : 1;
            restarts += Math.max(0, rank.path("incarnation").asInt() - 1);
            messages += rank.path("messagesSent").asLong();
            bytes += rank.path("bytesSent").asLong();
        }
        return new TopJob(here, waiting, restarts, LongNode.valueOf(messages), LongNode.valueOf(bytes));
    }

    static boolean isOpen(JsonNode job) {
        return job.path("state").asText().equals("RUNNING") || job.path("state").asText().equals("STARTING");
    }

    /** In one or two words. */
    static String state(JsonNode job) {
        return job.path("standsStillSince").asLong() > 0 ? "STANDS STILL"
                : job.path("divergences").asLong() > 0 ? "DIVERGED" : job.path("state").asText().toLowerCase(Locale.ROOT);
    }
}
