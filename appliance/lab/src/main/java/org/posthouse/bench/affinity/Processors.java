package org.posthouse.bench.affinity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Puts this process and the ranks' on processors, thread by thread, with {@code taskset} of util-linux. Linux only. Confined to the
 * driver's thread.
 */
public final class Processors {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    /** A thread that ends while its process is moved fails the call. */
    private static final int TRIES_MAX = 10;

    private final String all;
    private final List<Integer> two;

    private Processors(String all, List<Integer> two) {
        this.all = all;
        this.two = two;
    }

    /** Those that this process may use. @throws IOException if there are no two, or it cannot be known */
    static Processors ofThisProcess() throws IOException {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return of(lines.filter(line -> line.startsWith(ALLOWED)).findFirst().orElse(ALLOWED).substring(ALLOWED.length()).strip());
        }
    }

    /** @param list as the system writes it: {@code 0-3,8} */
    static Processors of(String list) throws IOException {
        List<Integer> two = new ArrayList<>();
        for (String range : list.isEmpty() ? new String[0] : list.split(",")) {
            int dash = range.indexOf('-');
            int last = Integer.parseInt(range.substring(dash + 1));
            for (int one = dash < 0 ? last : Integer.parseInt(range.substring(0, dash)); one <= last && two.size() < 2; one++) {
                two.add(one);
            }
        }
        if (two.size() < 2) {
            throw new IOException("layouts need two processors, this process may use \"" + list + "\"; measure with --layouts free");
        }
        return new Processors(list, two);
    }

    /** The processors of a place in a layout, as {@code taskset} names them. */
    String list(int place) {
        return place < 0 ? all : two.get(place).toString();
    }

    /** Moves every thread of a process; those that it starts later follow. */
    public void put(long process, int place) throws IOException, InterruptedException {
        move("process", process, place, "-a");
    }

    /** Moves one thread. @param thread the system's number for it */
    void putThread(long thread, int place) throws IOException, InterruptedException {
        move("thread", thread, place);
    }

    private void move(String what, long number, int place, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("taskset"));
        command.addAll(List.of(options));
        command.addAll(List.of("-c", "-p", list(place), Long.toString(number)));
        String fault = "";
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            fault = fault(command);
            if (fault.isEmpty()) {
                return;
            }
        }
        throw new IOException("cannot put " + what + " " + number + " on processor " + list(place) + ": " + fault);
    }

    /** The fault; empty if there was none. */
    private static String fault(List<String> command) throws IOException, InterruptedException {
        Process taskset = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (taskset.waitFor() == 0) {
            return said.isEmpty() ? "it has no threads" : "";
        }
        return said;
    }
}
