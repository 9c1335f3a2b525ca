package org.posthouse.mpj;

import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;
import org.posthouse.mpj.channel.SystemWait;
import org.posthouse.mpj.checkpoint.ProgramInput;

/**
 * Starts an MPI program as one rank of a job: the main class of every rank's process.
 *
 * <p>The launcher holds the other end of this process's standard input. When it closes, the launcher is gone, and this
 * process ends with all its children, however busy the program is. The program's own {@code System.in} has the input
 * that the launcher passes to this rank ({@link ProgramInput}), or is empty. A program that throws ends the whole job.
 */
public final class RankMain {
    /** JVM flags for a rank. It works without them, but more slowly ({@link SystemWait}). */
    public static final List<String> JVM_FLAGS = List.of("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");

    /** Exit status if the program could not be started: no such class, or it has no main method. */
    static final int STATUS_NO_PROGRAM = 127;

    private static final int STATUS_THROWN = 1;

    private RankMain() {}

    /** Arguments: the program's main class, then its own arguments. */
    public static void main(String[] args) {
        int rank = Integer.parseInt(System.getenv().getOrDefault(Endpoints.RANK, "0"));
        ProcessExit processExit = new ProcessExit(rank);
        PrintGate.install();
        tellOfThreads(Thread.currentThread());
        System.setIn(InputStream.nullInputStream());
        LauncherGuard.install(processExit, System.getenv(Endpoints.INPUT) == null ? null : ProgramInput.install());
        Endpoints.starting(List.of(args));
        MainMethod program = find(args[0], processExit);
        try {
            String[] own = Arrays.copyOfRange(args, 1, args.length);
            program.call(ArgumentWords.of(System.getenv()).before(own, rank));
        } catch (InvocationTargetException e) {
            thrown(e.getCause(), processExit);
        } catch (IllegalAccessException | InstantiationException e) {
            refuse("class " + args[0] + " has a main method that cannot be called: " + e.getMessage(), processExit);
        }
    }

    /**
     * Prints an exception of a program thread as a JVM does, and reports it with the job's standstill if it leads to
     * one. A program's own handler replaces this one.
     */
    private static void tellOfThreads(Thread main) {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            thrown.printStackTrace(System.err);
            if (!thread.equals(main) && Endpoints.connected() instanceof RelayEndpoint endpoint) {
                endpoint.presences().threadEnded(thread.getName(), thrown);
            }
        });
    }

    private static MainMethod find(String className, ProcessExit processExit) {
        try {
            return MainMethod.of(Class.forName(className, true, Thread.currentThread().getContextClassLoader()));
        } catch (ClassNotFoundException e) {
            throw refuse("no class " + e.getMessage() + " on the class path " + System.getProperty("java.class.path"), processExit);
        } catch (NoSuchMethodException e) {
            throw refuse("class " + className + " " + e.getMessage(), processExit);
        } catch (ExceptionInInitializerError e) {
            throw thrown(e.getCause() == null ? e : e.getCause(), processExit);
        } catch (LinkageError e) {
            throw refuse("class " + className + " cannot be loaded: " + e, processExit);
        } catch (Error e) {
            throw thrown(e, processExit); // Thrown by the class's initializer.
        }
    }

    private static IllegalStateException refuse(String why, ProcessExit processExit) {
        System.err.println("posthouse: " + why);
        processExit.exit(STATUS_NO_PROGRAM);
        return new IllegalStateException(why);
    }

    private static IllegalStateException thrown(Throwable cause, ProcessExit processExit) {
        try {
            uncaught(cause);
            Endpoint endpoint = Endpoints.connected();
            if (endpoint != null) {
                endpoint.abort(STATUS_THROWN, ("threw " + cause).replaceAll("\\R", " "));
            } else if (cause instanceof NullPointerException && String.valueOf(cause.getMessage()).contains("MPI.COMM_WORLD")) {
                System.err.println("posthouse: MPI.COMM_WORLD is null before MPI.Init: call that first");
            }
        } finally {
            processExit.exit(STATUS_THROWN); // Also if its output throws: the program's threads would go on.
        }
        return new IllegalStateException(cause);
    }

    /**
     * As a JVM does with an exception of its main thread: the program may have a handler of its own, which may throw in
     * turn.
     */
    private static void uncaught(Throwable cause) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, cause);
        } catch (Throwable e) {
            System.err.println("Exception: " + e.getClass().getName() + " thrown from the UncaughtExceptionHandler in thread \"" + thread.getName() + "\"");
        }
    }
}
