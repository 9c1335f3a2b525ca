package org.posthouse.system;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Hosts that are network namespaces of this one: each has a loopback of its own, and nothing but a cable to the first, which is their router. Needs
 * no rights, where the system lets users have namespaces.
 */
final class Namespaces implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<Process> holders = new ArrayList<>();

    /** Whether this machine lets us. */
    static boolean areThere() throws Exception {
        return Files.isReadable(Path.of("/proc/self/ns/net"))
                && !run(List.of("unshare", "-rn", "sh", "-c", "ip link add name x0 type veth peer name x1 && which nsenter curl ss")).isBlank();
    }

    /** So many hosts; host N is 10.77.N.2, and to it the first one is 10.77.N.1. */
    static Namespaces of(int hosts) throws Exception {
        Namespaces all = new Namespaces();
        try {
            all.hold(List.of("unshare", "-rn"));
            all.must(0, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
            for (int host = 1; host < hosts; host++) {
                all.hold(all.enter(0, "unshare", "-n"));
                all.cable(host);
            }
            return all;
        } catch (Exception | AssertionError e) {
            all.close();
            throw e;
        }
    }

    /** So many hosts without a cable, none of which passes packets on. */
    static Namespaces apart(int hosts) throws Exception {
        Namespaces all = new Namespaces();
        try {
            all.hold(List.of("unshare", "-rn"));
            for (int host = 1; host < hosts; host++) {
                all.hold(all.enter(0, "unshare", "-n"));
            }
            for (int host = 0; host < hosts; host++) {
                all.must(host, "sh", "-c", "echo 0 > /proc/sys/net/ipv4/ip_forward");
            }
            return all;
        } catch (Exception | AssertionError e) {
            all.close();
            throw e;
        }
    }

    /**
     * Joins two hosts by a network of their own, with no route to anything else: {@code near} is 10.78.NETWORK.1 there,
     * {@code far} is 10.78.NETWORK.2.
     */
    void join(int network, int near, int far) throws Exception {
        String name = "net" + network;
        must(near, "ip", "link", "add", "name", name, "type", "veth", "peer", "name", name, "netns", Long.toString(holders.get(far).pid()));
        must(near, "ip", "addr", "add", "10.78." + network + ".1/24", "dev", name);
        must(far, "ip", "addr", "add", "10.78." + network + ".2/24", "dev", name);
        must(near, "ip", "link", "set", name, "up");
        must(far, "ip", "link", "set", name, "up");
    }

    /** Takes a host out of its network, or puts it in again. */
    void joined(int network, int host, boolean in) throws Exception {
        must(host, "ip", "link", "set", "net" + network, in ? "up" : "down");
    }

    /** Whether the host has a way to this address. */
    boolean reaches(int host, String address) throws Exception {
        return run(host, "ip", "route", "get", address).contains(address);
    }

    private void hold(List<String> first) throws Exception {
        List<String> command = new ArrayList<>(first);
        command.addAll(List.of("sleep", "1000000"));
        Process holder = new ProcessBuilder(command).start();
        holders.add(holder);
        Path cmdline = Path.of("/proc", Long.toString(holder.pid()), "cmdline");
        await().atMost(PATIENCE).until(() -> Files.readString(cmdline, StandardCharsets.UTF_8).startsWith("sleep"));
        must(holders.size() - 1, "ip", "link", "set", "lo", "up");
    }

    private void cable(int host) throws Exception {
        String near = "to" + host;
        must(0, "ip", "link", "add", "name", near, "type", "veth", "peer", "name", "cable", "netns", Long.toString(holders.get(host).pid()));
        must(0, "ip", "addr", "add", "10.77." + host + ".1/24", "dev", near);
        must(0, "ip", "link", "set", near, "up");
        must(host, "ip", "addr", "add", "10.77." + host + ".2/24", "dev", "cable");
        must(host, "ip", "link", "set", "cable", "up");
        must(host, "ip", "route", "add", "10.77.0.0/16", "via", "10.77." + host + ".1");
    }

    /** Pulls the cable of a host, or puts it in again. */
    void cable(int host, boolean in) throws Exception {
        must(0, "ip", "link", "set", "to" + host, in ? "up" : "down");
    }

    /** The same network for a user of this machine, who is no user of the host: what the command before {@code command} needs root for works as here. */
    List<String> enterNetwork(int host, List<String> command) {
        List<String> line = new ArrayList<>(List.of("nsenter", "-t", Long.toString(holders.get(host).pid()), "-n", "--"));
        line.addAll(command);
        return line;
    }

    /** What a command line begins with to run there. */
    List<String> enter(int host, String... command) {
        List<String> line = new ArrayList<>(
                List.of("nsenter", "-t", Long.toString(holders.get(host).pid()), "-U", "-n", "--preserve-credentials", "--"));
        line.addAll(List.of(command));
        return line;
    }

    /** What a command prints there. */
    String run(int host, String... command) throws Exception {
        return run(enter(host, command));
    }

    /** Runs a command there that has to succeed. */
    void must(int host, String... command) throws Exception {
        List<String> line = enter(host, command);
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(String.join(" ", line) + ": " + told);
        }
    }

    private static String run(List<String> line) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(1, TimeUnit.MINUTES);
        return told;
    }

    @Override
    public void close() {
        holders.reversed().forEach(Process::destroyForcibly);
    }
}
