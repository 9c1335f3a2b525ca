package org.posthouse.cli;

import java.io.File;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.posthouse.launch.Installation;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.StartCache;
import org.posthouse.mpj.RankMain;
import org.posthouse.mpj.Rehearsal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * {@code posthouse rehearse}, which the launcher script calls after a build: makes the {@link StartCache}. Another JVM runs the
 * same command with the name of a file, and does then, once, what commands, relays and ranks do at their starts.
 */
@Command(name = "rehearse", description = "Makes what lets later commands start faster.", hidden = true)
final class RehearseCommand implements Callable<Integer> {
    private static final long READY_SECONDS_MAX = 60;
    private static final int POLL_MS = 50;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "Perform, and have a rank write its part there.")
    private Path rankCache;

    @Override
    public Integer call() throws Exception {
        if (rankCache != null) {
            perform();
            return 0;
        }
        List<Path> classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath())
                .toList();
        try {
            StartCache.make(classPath.get(0).getParent(), classPath, List.of(Posthouse.class.getName(), "rehearse"), StartCache.SECONDS_MAX);
        } catch (IOException | JobFailure e) {
            throw new CommandFailure("later commands start as slowly as before: " + e.getMessage(), e);
        }
        return 0;
    }

    private void perform() throws Exception {
        int ranks = freePort();
        String console = "127.0.0.1:" + freePort();
        FutureTask<Void> relay = new FutureTask<>(() -> posthouse(
                "relay", "--json", "--end-with-input", "--site", "rehearsal", "--listen", "127.0.0.1:" + ranks, "--ops", console,
                "--group", "127.0.0.1:" + freePort(), "--data", rankCache.resolveSibling("data").toString()));
        // The relay ends with its input.
        try (PipedOutputStream input = new PipedOutputStream()) {
            System.setIn(new PipedInputStream(input));
            Thread.ofPlatform().name("rehearsed-relay").start(relay);
            awaitReady("http://" + console + "/readyz", relay);
            use("127.0.0.1:" + ranks, console);
        }
        relay.get();
        posthouse("run", "-n", "2", "--sites", "2", "--durability", "process", "example:ring", "3", "100");
    }

    private void use(String relay, String console) throws Exception {
        posthouse("run", "-n", "1", "--relay", relay, "--durability", "process", "--jvm", "-XX:AOTCacheOutput=" + rankCache, "-cp",
                Installation.jarOf(RankMain.class).toString(), Rehearsal.class.getName());
        posthouse("mode", "pooled", "--ops", console);
        for (String page : List.of("/", "/metrics", "/api/v1/jobs", "/api/v1/relays")) {
            status("http://" + console + page);
        }
    }

    private static Void posthouse(String... arguments) throws CommandFailure {
        int status = Posthouse.commandLine().execute(arguments);
        if (status != 0) {
            throw new CommandFailure("posthouse " + String.join(" ", arguments) + " ended with status " + status);
        }
        return null;
    }

    private static void awaitReady(String page, FutureTask<Void> relay) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS_MAX);
        while (status(page) != HttpURLConnection.HTTP_OK) {
            if (relay.isDone()) {
                relay.get();
            }
            if (relay.isDone() || System.nanoTime() > deadline) {
                throw new CommandFailure("the rehearsed relay does not serve " + page);
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** What a GET answers, after its body was read; -1 if nobody does. */
    private static int status(String page) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create(page).toURL().openConnection();
        try {
            int status = connection.getResponseCode();
            if (status == HttpURLConnection.HTTP_OK) {
                connection.getInputStream().readAllBytes();
            }
            return status;
        } catch (ConnectException e) {
            return -1;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
