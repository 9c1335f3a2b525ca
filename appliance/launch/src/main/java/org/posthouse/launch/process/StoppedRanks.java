package org.posthouse.launch.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Ends processes of ranks that a signal has stopped (SIGSTOP, or SIGTSTP to one of them). Nothing else would notice,
 * and sooner or later all ranks would wait for them. It counts its own looks and not the time. If the launcher was
 * stopped together with its ranks, by Ctrl-Z, they count as alive as before when it continues. A process that a
 * debugger has stopped is left alone. Where the system has no {@code /proc}, nothing is noticed.
 *
 * <p>A thread of its own, from {@link #watch} to {@link #close}.
 */
public final class StoppedRanks implements ProcessStarter.StopWatch {
    /** A process of a rank. */
    public interface Watched {
        int rank();

        long pid();

        /** kill -9 of the process. @return whether there was one to kill */
        boolean strike();
    }

    private static final char STOPPED = 'T';

    private final Supplier<List<? extends Watched>> processes;
    private final int looksMax;
    private final long pauseMs;
    private final Consumer<String> tell;
    private final Thread thread;

    /** By process id: number of successive looks that saw it stopped. */
    private final Map<Long, Integer> seen = new HashMap<>();

    /** As {@link #watch}, but starts no thread: looks only when {@link #look} is called. */
    StoppedRanks(Supplier<List<? extends Watched>> processes, int looksMax, long pauseMs, Consumer<String> tell) {
        this.processes = processes;
        this.looksMax = looksMax;
        this.pauseMs = pauseMs;
        this.tell = tell;
        this.thread = Thread.ofPlatform().daemon().name("posthouse-stopped").unstarted(this::run);
    }

    /**
     * Begins to look.
     *
     * @param processes the present ones, asked for at each look
     * @param looksMax a process is ended once it was seen stopped more than this many times in a row, so for this many
     *     pauses at least
     * @param pauseMs between two looks
     * @param tell receives a line about each
     */
    public static StoppedRanks watch(
            Supplier<List<? extends Watched>> processes, int looksMax, long pauseMs, Consumer<String> tell) {
        StoppedRanks watch = new StoppedRanks(processes, looksMax, pauseMs, tell);
        watch.thread.start();
        return watch;
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(pauseMs);
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void look() {
        List<? extends Watched> present = processes.get();
        seen.keySet().retainAll(present.stream().map(Watched::pid).toList());
        for (Watched process : present) {
            if (!isStopped(process.pid())) {
                seen.remove(process.pid());
            } else if (seen.merge(process.pid(), 1, Integer::sum) == looksMax + 1 && process.strike()) {
                tell.accept("rank " + process.rank() + " has been stopped by a signal for "
                        + TimeUnit.MILLISECONDS.toSeconds(looksMax * pauseMs) + " s: it is killed");
            }
        }
    }

    /** The state stands behind the program's name, which is in parentheses and may hold any character (proc(5)). */
    static boolean isStopped(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            int state = stat.lastIndexOf(')') + 2;
            return state < stat.length() && stat.charAt(state) == STOPPED;
        } catch (IOException e) {
            // It has ended, which is reported elsewhere, or there is no /proc.
            return false;
        }
    }

    /** Looks no more. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
