package org.posthouse.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.install.ReadyLine;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.install.StartCache;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.mpj.RankMain;
import org.posthouse.mpj.rehearsal.Rehearsal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * {@code posthouse rehearse}, which the launcher script calls after a build: makes the {@link StartCache}. Another JVM runs the
 * same command with the name of a folder, and does then, once, what commands, relays and ranks do at their starts.
 */
@Command(name = "rehearse", description = "Makes what lets later commands start faster.", hidden = true)
final class RehearseCommand implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "FOLDER", description = "Perform, and have a relay and a rank write their parts there.")
    private Path caches;

    @Override
    public Integer call() throws Exception {
        if (caches != null) {
            perform();
            return 0;
        }
        List<Path> classPath = Installation.classPath();
        try {
            StartCache.make(classPath.get(0).getParent(), classPath, List.of(Posthouse.class.getName(), "rehearse"), StartCache.SECONDS_MAX);
        } catch (IOException | JobFailure e) {
            throw new CommandFailure("later commands start as slowly as before: " + e.getMessage(), e);
        }
        return 0;
    }

    private void perform() throws Exception {
        Path grid = caches.resolve("grid");
        posthouse("keys", "init", grid.toString());
        int member = freePort();
        List<String> arguments = arguments("rehearsal", member, "--links", "127.0.0.1:0");
        try (RelayProcess relay = RelayProcess.rehearse(caches.resolve(StartCache.RELAY_FILE), arguments, caches.resolve("relay.log"))) {
            use(relay.ready());
            useLink(relay.ready(), member);
            relay.awaitCache();
        }
        StartCache.rehearseRun(caches.resolve(StartCache.RUN_FILE), List.of(Posthouse.class.getName(), "run", "-n", "2", "example:ring", "3", "100"));
        posthouse("run", "-n", "2", "--sites", "2", "--durability", "process", "example:ring", "3", "100");
    }

    /** Of a relay with all that one may have, whose keys this makes. */
    private List<String> arguments(String site, int member, String... more) throws CommandFailure {
        Path keys = caches.resolve("keys-" + site);
        posthouse("keys", "issue", "--authority", caches.resolve("grid").toString(), "--into", keys.toString(), site);
        List<String> arguments = new ArrayList<>(List.of(
                "--site", site, "--keys", keys.toString(), "--data", caches.resolve("data-" + site).toString(), "--listen", "127.0.0.1:0", "--ops",
                "127.0.0.1:0",
                "--group", "127.0.0.1:" + member));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private void use(ReadyLine relay) throws Exception {
        posthouse("run", "-n", "1", "--relay", relay.ranks(), "--durability", "process", "--jvm", "-XX:AOTCacheOutput=" + caches.resolve(StartCache.RANK_FILE),
                "-cp",
                Installation.jarOf(RankMain.class).toString(), Rehearsal.class.getName());
        posthouse("mode", "pooled", "--ops", relay.console());
        for (String page : List.of("/", "/metrics", "/api/v1/jobs", "/api/v1/relays")) {
            read(URI.create("http://" + relay.console() + page));
        }
    }

    /** With a relay of another site, which starts as well as it can. */
    private void useLink(ReadyLine relay, int member) throws Exception {
        List<String> arguments = arguments("neighbour", freePort(), "--peer", "rehearsal=" + relay.links(), "--member", "127.0.0.1:" + member);
        try (RelayProcess neighbour = RelayProcess.start(arguments, caches.resolve("neighbour.log"))) {
            posthouse("run", "-n", "2", "--relay", relay.ranks(), "--relay", neighbour.ready().ranks(), "--durability", "process", "example:ring", "3",
                    "100000");
        }
    }

    private static void posthouse(String... arguments) throws CommandFailure {
        int status = Posthouse.commandLine().execute(arguments);
        if (status != 0) {
            throw new CommandFailure("posthouse " + String.join(" ", arguments) + " ended with status " + status);
        }
    }

    private static void read(URI page) throws IOException {
        try (InputStream in = page.toURL().openStream()) {
            in.readAllBytes();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
