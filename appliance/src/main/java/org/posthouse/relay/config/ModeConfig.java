package org.posthouse.relay.config;

import java.util.List;

/**
 * The mode of a relay, which places its work on threads, with the sizes of the mode (docs/operations.md, modes).
 *
 * @param mode the mode
 * @param loops pooled: event loops, 1 to {@link #LOOPS_MAX}
 * @param reception pipeline: loops that read connections, 1 to {@link #LOOPS_MAX}
 * @param matching pipeline: loops that log and match, 1 to {@link #LOOPS_MAX}
 * @param emission pipeline: loops that write, 1 to {@link #LOOPS_MAX}
 */
public record ModeConfig(RelayConfig.Mode mode, int loops, int reception, int matching, int emission) {
    public static final int LOOPS_MAX = 64;
    public static final int LOOPS_DEFAULT = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);
    public static final String PIPELINE_DEFAULT = "2,1,2";

    public ModeConfig {
        check("--loops", loops);
        check("the reception loops of --pipeline", reception);
        check("the matching loops of --pipeline", matching);
        check("the emission loops of --pipeline", emission);
    }

    private static void check(String what, int value) {
        if (value < 1 || value > LOOPS_MAX) {
            throw new IllegalArgumentException(what + ": " + value + ", expected 1 to " + LOOPS_MAX);
        }
    }

    /** The mode with the default sizes. */
    public static ModeConfig of(RelayConfig.Mode mode) {
        return of(mode, LOOPS_DEFAULT, PIPELINE_DEFAULT);
    }

    /**
     * @param pipeline three numbers, as in {@code 2,1,2}
     * @throws IllegalArgumentException in one line, if a number is missing or out of range
     */
    public static ModeConfig of(RelayConfig.Mode mode, int loops, String pipeline) {
        List<String> sizes = List.of(pipeline.split(",", -1));
        if (sizes.size() != 3 || sizes.stream().anyMatch(size -> !size.matches("\\d{1,3}"))) {
            throw new IllegalArgumentException(
                    "--pipeline \"" + pipeline + "\", expected R,L,E: the loops that read, match and write, as in " + PIPELINE_DEFAULT);
        }
        return new ModeConfig(
                mode, loops, Integer.parseInt(sizes.get(0)), Integer.parseInt(sizes.get(1)), Integer.parseInt(sizes.get(2)));
    }

    /** Number of event loops that the mode uses. */
    public int loopsUsed() {
        return switch (mode) {
            case MULTIPLEXED, THREADED -> 1;
            case POOLED -> loops;
            case PIPELINE -> reception + matching + emission;
        };
    }

    @Override
    public String toString() {
        return switch (mode) {
            case MULTIPLEXED, THREADED -> mode.word();
            case POOLED -> mode.word() + " " + loops;
            case PIPELINE -> mode.word() + " " + reception + "," + matching + "," + emission;
        };
    }
}
