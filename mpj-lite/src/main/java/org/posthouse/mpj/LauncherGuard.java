package org.posthouse.mpj;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.posthouse.mpj.checkpoint.ProgramInput;
import org.posthouse.wire.ExitStatuses;

/**
 * Ends this process with its launcher, at whose end the process's standard input ends. A thread of its own reads that.
 *
 * <p>A JVM that ends itself waits 300 ms for threads that are in a system call, and until then its connections stay open: nobody would be told of the
 * rank's end. So {@link #release} ends the thread's read first. The thread looks at the process's parent from then on, as hooks of the program may hang.
 */
final class LauncherGuard {
    private static final LauncherGuard NONE = new LauncherGuard(null, null, Channels.newChannel(InputStream.nullInputStream()), () -> true);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The process's own. Written by main, before the program runs; read by the thread that ends the process. */
    private static volatile LauncherGuard own = NONE;

    private final ProcessExit processExit;
    private final ProgramInput input;
    private final ReadableByteChannel launcher;
    private final BooleanSupplier launcherLives;

    /**
     * @param input gets what the launcher passes on; null if it passes nothing
     * @param launcher the end of this is the launcher's
     * @param launcherLives asked each 100 ms once the process ends
     */
    LauncherGuard(ProcessExit processExit, ProgramInput input, ReadableByteChannel launcher, BooleanSupplier launcherLives) {
        this.processExit = processExit;
        this.input = input;
        this.launcher = launcher;
        this.launcherLives = launcherLives;
    }

    /** Guards this process until its end. */
    static void install(ProcessExit processExit, ProgramInput input) {
        Optional<ProcessHandle> parent = ProcessHandle.current().parent();
        own = new LauncherGuard(
                processExit, input, new FileInputStream(FileDescriptor.in).getChannel(), () -> ProcessHandle.current().parent().equals(parent));
        Runtime.getRuntime().addShutdownHook(new Thread(LauncherGuard::release, "posthouse-launcher-release"));
        own.start();
    }

    /** This process ends, with or without its launcher. */
    static void release() {
        own.end();
    }

    /** Starts the thread. */
    Thread start() {
        Thread guard = new Thread(this::awaitEnd, "posthouse-launcher-guard");
        guard.setDaemon(true);
        guard.start();
        return guard;
    }

    /** Ends the thread's read, and nothing else. */
    void end() {
        try {
            launcher.close();
        } catch (IOException e) {
            // The process ends all the same, a little later.
        }
    }

    private void awaitEnd() {
        try (InputStream in = Channels.newInputStream(launcher)) {
            if (input != null) {
                input.fill(in);
            } else {
                awaitEnd(in);
            }
        } catch (ClosedChannelException e) {
            while (launcherLives.getAsBoolean()) {
                LockSupport.parkNanos(LOOK_NANOS); // The process ends by itself.
            }
        } catch (IOException e) {
            System.err.println("posthouse: lost the launcher: " + e.getMessage());
        }
        // A killed launcher cannot find orphans by their environment, so the descendants end here.
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        processExit.exit(ExitStatuses.TERMINATED);
    }

    private static void awaitEnd(InputStream launcher) throws IOException {
        while (launcher.read() >= 0) {
            // The launcher writes nothing; only the end of the stream matters.
        }
    }
}
