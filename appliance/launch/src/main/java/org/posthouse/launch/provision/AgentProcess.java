package org.posthouse.launch.provision;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;
import org.posthouse.launch.agent.Agent;
import org.posthouse.launch.install.ChildEnd;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.Token;

/**
 * An agent in a process of its own on this host, which ends with this process or with {@link #close}. It counts as a
 * host. It can be killed and started again. Guarded by itself.
 */
public final class AgentProcess implements AutoCloseable {
    /** On a host that is short of everything, with a relay that is being started again. */
    private static final long CONNECT_SECONDS_MAX = 300;

    private static final String MAIN = "org.posthouse.cli.Posthouse";

    private final String name;
    private final Token token;
    private final List<String> arguments;
    private Process process;
    private CompletableFuture<Boolean> connected;
    private boolean closed;

    /**
     * A kill of the agent.
     *
     * @param atNs when, by {@link System#nanoTime}
     * @param ranks processes of ranks that it had then
     */
    public record Strike(long atNs, int ranks) {}

    private AgentProcess(String name, Token token, List<String> arguments) {
        this.name = name;
        this.token = token;
        this.arguments = List.copyOf(arguments);
    }

    /**
     * Starts {@code posthouse agent}. It may not have reached its relay yet.
     *
     * @param relay host:port of its relay
     * @param token the launch token of the relay
     * @param folder its own
     */
    static AgentProcess start(String relay, Token token, String name, int slots, Path folder) throws JobFailure {
        AgentProcess agent = new AgentProcess(
                name, token,
                List.of("agent", "--token-stdin", "--relay", relay, "--name", name, "--host-id", name, "--slots", Integer.toString(slots), "--dir",
                        folder.toString()));
        agent.launch();
        return agent;
    }

    private void launch() throws JobFailure {
        List<String> command = new ArrayList<>();
        command.add(Installation.java().toString());
        command.addAll(Installation.jvmFlags());
        command.addAll(Installation.relayFlags());
        command.addAll(List.of("-XX:-UsePerfData", "-cp", System.getProperty("java.class.path"), MAIN));
        command.addAll(arguments);
        try {
            Process started = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            process = started;
            CompletableFuture<Boolean> reached = new CompletableFuture<>();
            connected = reached;
            Thread.ofPlatform().daemon().name("posthouse-" + name).start(() -> read(started, reached));
            started.getOutputStream().write((token.hex() + "\n").getBytes(StandardCharsets.UTF_8));
            started.getOutputStream().flush();
        } catch (IOException e) {
            ChildEnd.end(process);
            throw new JobFailure("agent " + name + " cannot be started: " + Causes.text(e), e);
        }
    }

    /** Reads what it prints to the end, so that it is never held back. */
    private static void read(Process process, CompletableFuture<Boolean> reached) {
        try (BufferedReader err = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = err.readLine(); line != null; line = err.readLine()) {
                if (line.contains(Agent.CONNECTED)) {
                    reached.complete(true);
                }
            }
        } catch (IOException e) {
            // It was killed.
            reached.complete(false);
        }
        reached.complete(false);
    }

    /** Waits until it has reached its relay. */
    synchronized void awaitConnected() throws JobFailure {
        boolean isConnected = connected.completeOnTimeout(false, CONNECT_SECONDS_MAX, TimeUnit.SECONDS).join();
        if (!isConnected && !closed) {
            throw new JobFailure("agent " + name + " has not reached its relay within " + CONNECT_SECONDS_MAX + " s, or has ended before");
        }
    }

    /**
     * kill -9, and another process with the same options as soon as the first has gone. Blocks until that one has reached
     * its relay.
     *
     * @return what was done; empty, and nothing was done, if it is closed
     */
    public synchronized Optional<Strike> strike() throws JobFailure {
        if (closed) {
            return Optional.empty();
        }
        long start = System.nanoTime();
        int ranks = (int) process.children().count();
        process.destroyForcibly();
        process.onExit().join();
        launch();
        awaitConnected();
        return Optional.of(new Strike(start, ranks));
    }

    /** The node's name. */
    public String name() {
        return name;
    }

    /** Its process id. */
    public synchronized long pid() {
        return process.pid();
    }

    /** Ends the agent with its ranks: asks it to stop, and kills it if it does not in time. */
    @Override
    public synchronized void close() {
        closed = true;
        ChildEnd.end(process);
    }
}
