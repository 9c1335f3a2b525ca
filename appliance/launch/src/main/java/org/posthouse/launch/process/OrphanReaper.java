package org.posthouse.launch.process;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Ends the processes that a job's ranks have started and left behind, whatever they did to their environment, session
 * or parent. On Linux this process is the parent of all processes below it that have lost theirs (a subreaper,
 * prctl(2)). It so finds and ends them, and collects the exit status of those that end before. For one job; not for a
 * process that has other jobs too.
 */
public final class OrphanReaper implements AutoCloseable {
    private static final int PR_SET_CHILD_SUBREAPER = 36;
    private static final int WNOHANG = 1;
    private static final Path SELF = Path.of("/proc/self");
    private static final long LOOK_MS = 10_000;
    private static final long LEAVE_MS = 5_000;
    private static final char ENDED = 'Z';

    private final MethodHandle waitpid;
    /** Children that this process had before: the program that became this process has started them. */
    private final Set<ProcessHandle> others;

    private final Thread thread = Thread.ofPlatform().daemon().name("posthouse-orphans").unstarted(this::run);

    /** Those that had ended at the last look. Confined to the thread. */
    private Set<ProcessHandle> ended = Set.of();

    private OrphanReaper(MethodHandle waitpid, Set<ProcessHandle> others) {
        this.waitpid = waitpid;
        this.others = others;
    }

    /** From here on orphans are this process's. @return null where the system has no such thing */
    public static OrphanReaper adopt() {
        if (!Files.exists(SELF)) {
            return null;
        }
        Linker linker = Linker.nativeLinker();
        SymbolLookup names = linker.defaultLookup();
        try {
            MethodHandle prctl = linker.downcallHandle(
                    names.findOrThrow("prctl"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1));
            MethodHandle waitpid = linker.downcallHandle(
                    names.findOrThrow("waitpid"), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
            Set<ProcessHandle> others = children().collect(Collectors.toSet());
            if ((int) prctl.invokeExact(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) != 0) {
                return null;
            }
            OrphanReaper orphanReaper = new OrphanReaper(waitpid, others);
            orphanReaper.thread.start();
            return orphanReaper;
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private static Stream<ProcessHandle> children() {
        return ProcessHandle.current().children();
    }

    /**
     * Collects the status of children that nothing else waits for. The JDK waits for those that it has started, and
     * needs no seconds.
     */
    private void run() {
        try {
            while (true) {
                Thread.sleep(LOOK_MS);
                Set<ProcessHandle> now = new HashSet<>();
                children().filter(OrphanReaper::hasEnded).forEach(now::add);
                now.stream().filter(ended::contains).forEach(this::take);
                ended = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(ProcessHandle child) {
        try {
            int taken = (int) waitpid.invokeExact((int) child.pid(), MemorySegment.NULL, WNOHANG);
            assert taken <= child.pid();
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Ends all processes below this one, which has ended those that it has started itself, and waits until they have gone. */
    public void end() {
        long begin = System.nanoTime();
        for (List<ProcessHandle> left = left(); !left.isEmpty(); left = left()) {
            left.forEach(ProcessHandle::destroyForcibly);
            if (System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(LEAVE_MS)) {
                System.err.println("posthouse: ranks have left processes that were killed and do not end in " + LEAVE_MS + " ms: "
                        + left.stream().map(ProcessHandle::pid).toList());
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private List<ProcessHandle> left() {
        return children().filter(child -> !others.contains(child))
                .flatMap(child -> Stream.concat(Stream.of(child), child.descendants()))
                .filter(process -> !hasEnded(process))
                .toList();
    }

    /** The state stands behind the program's name, which is in parentheses and may hold any character (proc(5)). */
    private static boolean hasEnded(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) == ENDED;
        } catch (IOException e) {
            return true; // It has gone.
        }
    }

    private static IllegalStateException failed(Throwable why) {
        return new IllegalStateException("the processes that ranks leave behind cannot be had: " + why, why);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
