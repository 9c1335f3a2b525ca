package org.posthouse.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.posthouse.mpj.Endpoints;

/**
 * What a job's ranks have started and left behind. Such a process has lost its parent, but not the job's id in its
 * environment, by which it is found where the system shows environments (Linux's /proc); elsewhere nothing is found.
 */
final class Stragglers {
    private static final Path PROCESSES = Path.of("/proc");

    private Stragglers() {}

    /** Kills every process of this user that has the job's id in its environment. */
    static void kill(String job) {
        String mark = "\0" + Endpoints.JOB + "=" + job + "\0";
        if (!Files.isDirectory(PROCESSES)) {
            return;
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path process : processes) {
                if (environment(process).contains(mark)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(ProcessHandle::destroyForcibly);
                }
            }
        } catch (IOException e) {
            System.err.println("posthouse: cannot look for processes that the job left behind: " + e.getMessage());
        }
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
