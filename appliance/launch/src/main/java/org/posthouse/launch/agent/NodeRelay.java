package org.posthouse.launch.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.job.JobFailure;

/**
 * The relay of an agent's node, in a process of its own (ADR 83). It ends with this process, however that ends, or with
 * {@link #close}. If it ends by itself it is started again at the same address, and continues its logged jobs.
 */
public final class NodeRelay implements AutoCloseable {
    private static final long PAUSE_MS = 1_000;
    private static final long PAUSE_MS_MAX = 30_000;

    private final String name;
    private final RelayProcess process;
    private final Path errors;
    private final Consumer<String> notices;
    private final Thread watch;

    private NodeRelay(String name, RelayProcess process, Path errors, Consumer<String> notices) {
        this.name = name;
        this.process = process;
        this.errors = errors;
        this.notices = notices;
        this.watch = Thread.ofPlatform().daemon().name("posthouse-node-relay").unstarted(this::watch);
    }

    /**
     * Starts it and waits until it serves.
     *
     * @param options of {@code posthouse relay}, without those of its log; with a fixed port for ranks
     * @param folder the agent's; its log goes to {@code relay} there, what it prints to {@code relay.log}
     * @param notices receives lines for people
     */
    public static NodeRelay start(String name, List<String> options, Path folder, Consumer<String> notices) throws IOException, JobFailure {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------")); // Fails for a folder of another user.
        Path errors = folder.resolve("relay.log");
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("--data", folder.resolve("relay").toString()));
        NodeRelay relay = new NodeRelay(name, RelayProcess.start(all, errors), errors, notices);
        relay.watch.start();
        return relay;
    }

    /** Where ranks, launchers and agents reach it, as host:port. */
    public String address() {
        return process.ready().ranks();
    }

    private void watch() {
        long pauseMs = PAUSE_MS;
        try {
            while (process.awaitEnd()) {
                TimeUnit.MILLISECONDS.sleep(pauseMs); // A signal of the terminal ends this process too, and closes this.
                notices.accept("relay " + name + " of this node has ended and is started again; " + errors + " says more");
                pauseMs = startAgain() ? PAUSE_MS : Math.min(PAUSE_MS_MAX, 2 * pauseMs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // It is closed.
        }
    }

    private boolean startAgain() {
        try {
            process.startAgain();
            return true;
        } catch (JobFailure e) {
            notices.accept("relay " + name + " of this node: " + e.getMessage());
            return false;
        }
    }

    /** Ends the relay, and jobs without a log with it. */
    @Override
    public void close() {
        watch.interrupt();
        process.close();
    }
}
