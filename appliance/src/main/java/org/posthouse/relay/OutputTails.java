package org.posthouse.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.posthouse.ops.OutputQuery;
import org.posthouse.status.JobOutput;
import org.posthouse.status.OutputLine;
import org.posthouse.wire.JobReport;

/**
 * The newest lines of the ranks that are at home here, as their launchers report them. Confined to the relay's control
 * strand.
 *
 * <p>Bound: {@value #LINES_MAX} lines and {@value #RANK_BYTES_MAX} bytes of a rank, {@value #BYTES_MAX} bytes of all. Beyond
 * that the jobs that ended first lose theirs; if none has ended, new lines are left out. Lines that go are counted.
 */
final class OutputTails {
    static final int LINES_MAX = 200;
    static final int RANK_BYTES_MAX = 16 * 1024;
    private static final int BYTES_MAX = 64 * 1024 * 1024;

    /** Longest line in characters; launchers cut lines at less. */
    private static final int LINE_CHARS_MAX = 2_000;

    /** Of a line beside its text: objects of the JVM. */
    private static final int LINE_BYTES = 120;

    private final int bytesMax;
    private final Map<Long, Map<Integer, Tail>> jobs = new HashMap<>();

    /** Jobs that have ended, the first one first. */
    private final Set<Long> ended = new LinkedHashSet<>();

    private long bytes;

    /** One rank's. */
    private static final class Tail {
        private final ArrayDeque<OutputLine> lines = new ArrayDeque<>();
        private int bytes;
        private long dropped;
    }

    OutputTails() {
        this(BYTES_MAX);
    }

    /** @param bytesMax of all jobs together */
    OutputTails(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes lines that a rank has printed. */
    void add(JobReport report, long nowMs) {
        Tail tail = jobs.computeIfAbsent(report.job(), unseen -> new HashMap<>()).computeIfAbsent(report.rank(), unseen -> new Tail());
        tail.dropped += report.number();
        String stream = report.kind() == JobReport.ERR ? "err" : "out";
        report.text().lines().forEach(text -> add(tail, new OutputLine(
                nowMs, report.rank(), stream, text.length() > LINE_CHARS_MAX ? text.substring(0, LINE_CHARS_MAX) : text)));
    }

    private void add(Tail tail, OutputLine line) {
        int more = bytesOf(line);
        while (!tail.lines.isEmpty() && (tail.lines.size() == LINES_MAX || tail.bytes + more > RANK_BYTES_MAX)) {
            dropFirst(tail);
        }
        while (bytes + more > bytesMax && !ended.isEmpty()) {
            remove(ended.iterator().next());
        }
        if (bytes + more > bytesMax) {
            tail.dropped++;
            return;
        }
        tail.lines.add(line);
        tail.bytes += more;
        bytes += more;
    }

    private void dropFirst(Tail tail) {
        int less = bytesOf(tail.lines.removeFirst());
        tail.bytes -= less;
        bytes -= less;
        tail.dropped++;
    }

    private static int bytesOf(OutputLine line) {
        return LINE_BYTES + Character.BYTES * line.text().length();
    }

    /** The job has ended; its lines stay as long as there is room. */
    void onEnded(long job) {
        if (jobs.containsKey(job)) {
            ended.add(job);
        }
    }

    /** Forgets the jobs that have ended, except these. */
    void retainEnded(Set<Long> kept) {
        new ArrayList<>(ended).stream().filter(job -> !kept.contains(job)).forEach(this::remove);
    }

    private void remove(long job) {
        ended.remove(job);
        Map<Integer, Tail> gone = jobs.remove(job);
        if (gone != null) {
            gone.values().forEach(tail -> bytes -= tail.bytes);
        }
    }

    /** The newest lines that were asked for, oldest first. */
    JobOutput of(long job, OutputQuery query) {
        Map<Integer, Tail> tails = new LinkedHashMap<>(jobs.getOrDefault(job, Map.of()));
        tails.keySet().removeIf(rank -> query.rank() != OutputQuery.ALL && rank != query.rank());
        String search = query.search().toLowerCase(Locale.ROOT);
        List<OutputLine> found = tails.values().stream()
                .flatMap(tail -> tail.lines.stream())
                .filter(line -> search.isEmpty() || line.text().toLowerCase(Locale.ROOT).contains(search))
                .sorted(Comparator.comparingLong(OutputLine::at))
                .toList();
        int older = Math.max(0, found.size() - query.lines());
        return new JobOutput(found.subList(older, found.size()), older, tails.values().stream().mapToLong(tail -> tail.dropped).sum());
    }
}
