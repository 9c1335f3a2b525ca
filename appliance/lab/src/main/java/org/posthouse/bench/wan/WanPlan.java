package org.posthouse.bench.wan;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.posthouse.bench.BenchPlan;
import org.posthouse.bench.Variant;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.config.SocketKind;
import org.posthouse.tunnel.Compression;
import org.posthouse.wan.WanProfile;
import org.posthouse.wan.WanShape;

/**
 * The plan of {@code bench wan}.
 *
 * @param profile the sites, and the network between them
 * @param megabits bandwidth of the broadest way, the others in proportion. 0: as in the profile, or the machine's
 *     maximum if that is less
 * @param sizes of a ping-pong's messages
 * @param bytes of each message of a stream
 * @param window messages of a stream that are under way at once
 * @param streamSeconds approximate duration of a stream over an emulated network. 0: long enough that its beginning and
 *     its end take 2 % of it
 * @param tunnels whether other programs' tunnels are measured too
 * @param logged the series: whether messages are logged
 * @param repetitions measured phases of each line
 * @param phaseMs about how long a phase of a ping-pong lasts
 * @param jobs whole jobs that are run over all sites, if these are apart
 * @param jobRepetitions runs of each job in each series
 * @param parts the parts of all this to measure
 * @param between the links of two sites, as {@link WanLink#name} writes them, that are measured; all, if it is empty
 * @param compression the links' setting for packing
 * @param layouts where the processes of a pair run, if nothing lies between the sites; {@link ProcessLayout#FREE} otherwise
 */
public record WanPlan(
        WanProfile profile,
        double megabits,
        List<Integer> sizes,
        int bytes,
        int window,
        double streamSeconds,
        boolean tunnels,
        List<Boolean> logged,
        int repetitions,
        int phaseMs,
        List<JobSpec> jobs,
        int jobRepetitions,
        Set<WanPart> parts,
        List<String> between,
        Compression compression,
        List<ProcessLayout> layouts) implements Experiment<WanReport> {
    /** A stream begins and ends with a round trip or less. */
    private static final int STREAM_ROUND_TRIPS = 60;

    private static final double STREAM_SECONDS_MIN = 1;

    private static final int STREAM_SECONDS_MAX = 3_600;

    private static final int MEGABITS_MAX = 100_000;
    private static final int BYTES_MAX = 64 << 20;

    /** Most times the duration of idle round trips that those beside a stream may take, with a good rest. */
    private static final double BESIDE_PHASE = 5;

    /** Most bytes that a stream has under way at once, and that its buffers have together. */
    private static final long WINDOW_BYTES_MAX = 64 << 20;

    /** @throws IllegalArgumentException if a number is out of its range, or there is nothing to measure */
    public WanPlan {
        sizes = List.copyOf(sizes);
        parts = Set.copyOf(parts);
        between = List.copyOf(between);
        logged = List.copyOf(logged);
        layouts = List.copyOf(layouts);
        jobs = List.copyOf(jobs);
        RangeCheck.check("repetitions", repetitions, 1, 1_000);
        RangeCheck.check("repetitions of jobs", jobRepetitions, 1, 1_000);
        RangeCheck.check("messages in a window", window, 1, 1_000);
        RangeCheck.check("milliseconds a phase", phaseMs, 1, 60_000);
        messageBytes(bytes);
        if ((long) bytes * window > WINDOW_BYTES_MAX) {
            throw new IllegalArgumentException(
                    window + " messages of " + bytes + " bytes under way, expected at most " + WINDOW_BYTES_MAX + " bytes together");
        }
        for (String link : between) {
            if (profile.shapes().keySet().stream().noneMatch(two -> isBetween(link, two.getFirst(), two.getLast()))) {
                throw new IllegalArgumentException("\"" + link + "\" is no link of profile " + profile.name() + ", expected SITE-SITE of "
                        + String.join(", ", profile.sites()));
            }
        }
        if (!profile.equals(WanProfile.NONE) && !layouts.equals(List.of(ProcessLayout.FREE))) {
            throw new IllegalArgumentException("layouts need profile none: an emulated network wants a processor of its own");
        }
        if (megabits != 0 && !(megabits >= 1 && megabits <= MEGABITS_MAX)) {
            throw new IllegalArgumentException(megabits + " Mb/s, expected 1 to " + MEGABITS_MAX);
        }
        if (!(streamSeconds >= 0 && streamSeconds <= STREAM_SECONDS_MAX)) {
            throw new IllegalArgumentException(streamSeconds + " s of a stream, expected more than 0, and " + STREAM_SECONDS_MAX + " at most");
        }
        double windows = 0;
        for (WanShape shape : (megabits > 0 ? profile.scaled(megabits / profile.megabitsMax()) : profile).shapes().values()) {
            double seconds = Math.max(
                    seconds(shape, streamSeconds), parts.contains(WanPart.BESIDE) ? besideSeconds(shape, repetitions, phaseMs) : 0);
            windows = Math.max(windows, windows(shape, seconds, bytes, window));
        }
        if (windows > BenchPlan.WINDOWS_MAX) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "a stream has %.0f windows of %d messages of %d bytes, expected at most %d: longer messages, more of them in a window,"
                            + " or less time",
                    windows, window, bytes, BenchPlan.WINDOWS_MAX));
        }
        if (profile.equals(WanProfile.NONE) && !parts.contains(WanPart.LINKS)) {
            throw new IllegalArgumentException("nothing to measure: without a network there are links alone, and no jobs or beside");
        }
        for (JobSpec job : parts.contains(WanPart.JOBS) && !profile.equals(WanProfile.NONE) ? jobs : List.<JobSpec>of()) {
            RangeCheck.check("ranks of job " + job.name(), job.ranks(), profile.sites().size(), BenchPlan.RANKS_MAX);
        }
        if (parts.equals(Set.of(WanPart.JOBS)) && jobs.isEmpty()) {
            throw new IllegalArgumentException("nothing to measure: the part is jobs, and there are none");
        }
    }

    /** The size of a stream's message. @throws IllegalArgumentException if there is none of that size */
    public static int messageBytes(long bytes) {
        RangeCheck.check("bytes of a stream's message", bytes, 1, BYTES_MAX);
        return (int) bytes;
    }

    /** Duration in seconds of a stream for which nothing else is asked. */
    private static double seconds(WanShape shape, double asked) {
        return asked > 0 ? asked : Math.max(STREAM_SECONDS_MIN, STREAM_ROUND_TRIPS * 2 * shape.delayNanos() / 1e9);
    }

    /** Duration in seconds of a stream beside so many phases and a first one. */
    private static double besideSeconds(WanShape shape, int repetitions, int phaseMs) {
        double phaseSeconds = Math.max(phaseMs / 1e3, 2 * shape.delayNanos() / 1e9);
        return (1 + repetitions) * BESIDE_PHASE * phaseSeconds + STREAM_SECONDS_MIN;
    }

    /** Number of windows of a stream. */
    private static double windows(WanShape shape, double seconds, int bytes, int window) {
        return Math.max(1, Math.ceil(seconds * shape.bytesPerSecond() / bytes / window));
    }

    /** Whether there is anything between the sites. */
    public boolean isEmulated() {
        return !profile.equals(WanProfile.NONE);
    }

    /** Whether this is measured, where there is a network at all. */
    boolean has(WanPart part) {
        return parts.contains(part) && (isEmulated() || part == WanPart.LINKS);
    }

    /** Whether the link between two sites is measured. */
    boolean has(String one, String other) {
        return between.isEmpty() || between.stream().anyMatch(link -> isBetween(link, one, other));
    }

    private static boolean isBetween(String link, String one, String other) {
        return link.equals(WanLink.name(one, other)) || link.equals(WanLink.name(other, one));
    }

    /** One pair of ranks, at two sites. */
    BenchPlan ofPair(WanShape shape) {
        return ofPair(shape, windows(shape, seconds(shape, streamSeconds), bytes, window));
    }

    /** The same with a stream that lasts while round trips beside it are measured. */
    BenchPlan ofStreamBeside(WanShape shape) {
        return ofPair(shape, windows(shape, besideSeconds(shape, repetitions, phaseMs), bytes, window));
    }

    private BenchPlan ofPair(WanShape shape, double windows) {
        return new BenchPlan(
                List.of(Benchmark.PINGPONG, Benchmark.STREAM), 2, 1, 2, 1, sizes, variants(), false, repetitions, phaseMs, window, (int) windows,
                shape.bytesPerSecond(), layouts);
    }

    List<Variant> variants() {
        return logged.stream()
                .map(log -> new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, log, BufferKind.DIRECT, "", Optional.<Settings>empty()))
                .toList();
    }

    @Override
    public WanReport run(BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        return WanRun.measure(this, watch);
    }
}
