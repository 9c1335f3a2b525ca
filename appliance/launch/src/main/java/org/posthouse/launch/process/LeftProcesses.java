package org.posthouse.launch.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.posthouse.mpj.Endpoints;

/**
 * Finds processes that a job's ranks have started and left behind. Such a process has lost its parent, but its
 * environment still has the job's id. It is found by that where the system shows environments (Linux's /proc);
 * elsewhere nothing is found.
 */
public final class LeftProcesses {
    private static final Path PROCESSES = Path.of("/proc");
    private static final long LEAVE_MS = 5_000;

    /** Variable of the environment: the number of the agent that has started a rank. */
    static final String AGENT = "POSTHOUSE_AGENT";

    private LeftProcesses() {}

    /**
     * Kills every process of this user that a launcher on this host has started for the job. Those of agents may go on
     * under another launcher.
     */
    public static void kill(String job) {
        kill(List.of(mark(Endpoints.JOB, job)), null);
    }

    /** Kills every process of this user that an agent has started for the job. @param agent the agent's number in hex digits */
    public static void kill(String job, String agent) {
        kill(List.of(mark(Endpoints.JOB, job)), agent);
    }

    /**
     * Kills what one process of a rank of the job has left behind, and waits until it has gone: it may hold files and
     * ports. Other processes of the rank may live.
     *
     * @param incarnation the number of the process
     * @param agent the number, in hex digits, of the agent that has started it; null if the launcher has. Another agent of
     *     the host may run the rank's next process
     */
    static void end(String job, int rank, int incarnation, String agent) {
        List<String> marks =
                List.of(mark(Endpoints.JOB, job), mark(Endpoints.RANK, Integer.toString(rank)), mark(Endpoints.INCARNATION, Integer.toString(incarnation)));
        List<Path> killed = kill(marks, agent);
        long start = System.nanoTime();
        while (killed.stream().anyMatch(process -> isMarked(process, marks, agent))) {
            if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(LEAVE_MS)) {
                System.err.println("posthouse: rank " + rank + " has left processes that were killed and do not end in " + LEAVE_MS
                        + " ms: " + killed);
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static String mark(String variable, String value) {
        return "\0" + variable + "=" + value + "\0";
    }

    private static List<Path> kill(List<String> marks, String agent) {
        List<Path> killed = new ArrayList<>();
        if (!Files.isDirectory(PROCESSES)) {
            return killed;
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path process : processes) {
                if (isMarked(process, marks, agent)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(ProcessHandle::destroyForcibly);
                    killed.add(process);
                }
            }
        } catch (IOException e) {
            System.err.println("posthouse: cannot look for processes that the job left behind: " + e.getMessage());
        }
        return killed;
    }

    /** A process that has ended has no environment, even before its status is collected. */
    private static boolean isMarked(Path process, List<String> marks, String agent) {
        String environment = environment(process);
        boolean isOfStarter = agent == null ? !environment.contains("\0" + AGENT + "=") : environment.contains(mark(AGENT, agent));
        return isOfStarter && marks.stream().allMatch(environment::contains);
    }

    private static String environment(Path process) {
        try {
            return "\0" + new String(Files.readAllBytes(process.resolve("environ")), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // Another user's process, or one that has just ended: not one of ours either way.
            return "";
        }
    }
}
