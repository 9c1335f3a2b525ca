package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.posthouse.keys.GridAuthority;
import org.posthouse.launch.install.ReadyLine;
import org.posthouse.testkit.SmallDisk;

/** A relay in a process of its own, on ports that the system picks. */
final class Relays implements AutoCloseable {
    private static final String ANY_PORT = "127.0.0.1:0";
    private static final Duration PATIENCE = Duration.ofSeconds(300);

    /** Below those that Linux gives to connections, 32,768 to 60,999; each test JVM begins at another place. */
    private static final int FREE_PORTS_FROM = 12_000;

    private static final int FREE_PORTS = 20_000;
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 1_009 % FREE_PORTS));

    private final Path folder;
    private final List<String> first;
    private final List<String> jvmFlags;
    private final List<String> arguments;
    private final String group;
    private Command command;
    private ReadyLine ready;

    private Relays(Path folder, List<String> first, List<String> jvmFlags, List<String> arguments, String group) {
        this.folder = folder;
        this.first = first;
        this.jvmFlags = jvmFlags;
        this.arguments = arguments;
        this.group = group;
    }

    static Relays start(Path folder, String site, String... more) throws IOException {
        return start(folder, List.of(), site, more);
    }

    /** The same with a log and with the keys of a grid, whose authority is in the folder and is made by the first of its relays. */
    static Relays startWithKeys(Path folder, String site, String... more) throws IOException {
        Path authority = folder.resolve("authority");
        GridAuthority grid = Files.exists(authority) ? GridAuthority.open(authority) : GridAuthority.init(authority, 2);
        grid.issue(site, 2, folder.resolve("keys-" + site));
        List<String> options = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys-" + site).toString(), "--links", "127.0.0.1:0", "--data", folder.resolve("data-" + site).toString()));
        options.addAll(List.of(more));
        return start(folder, site, options.toArray(String[]::new));
    }

    /** The same in a JVM with further flags. */
    static Relays start(Path folder, List<String> jvmFlags, String site, String... more) throws IOException {
        return start(folder, List.of(), jvmFlags, site, more);
    }

    /** The same on this disk, which its process sees. */
    static Relays startOn(SmallDisk disk, Path folder, String site, String... more) throws IOException {
        return start(folder, disk.entered(), List.of(), site, more);
    }

    private static Relays start(Path folder, List<String> first, List<String> jvmFlags, String site, String... more) throws IOException {
        String group = free(ANY_PORT);
        List<String> arguments = new ArrayList<>(List.of(
                "relay", "--json", "--site", site, "--listen", free(ANY_PORT), "--ops", free(ANY_PORT), "--group", group));
        for (String argument : more) {
            arguments.add(free(argument));
        }
        Relays relay = new Relays(folder, first, jvmFlags, arguments, group);
        relay.launch();
        return relay;
    }

    /** Starts an agent of this relay, as of a host of its own, and waits until it is connected. Its files are below the folder of the relay. */
    Command agent(String name, int slots, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "agent", "--relay", ranks(), "--name", name, "--host-id", name, "--slots", Integer.toString(slots), "--dir", folder.resolve(name).toString()));
        words.addAll(List.of(more));
        Command agent = Command.start(folder, words.toArray(String[]::new));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(agent.err() + agent.out()).contains("connected to the relay"));
        return agent;
    }

    private void launch() throws IOException {
        Command started = Command.startBehind(folder, first, jvmFlags, arguments.toArray(String[]::new));
        command = started;
        await().atMost(PATIENCE).until(() -> !started.out().isEmpty() || !started.handle().isAlive());
        if (started.out().isEmpty()) {
            throw new AssertionError("the relay ended before it served: " + started.err());
        }
        ready = ReadyLine.parse(started.out());
    }

    /** Of its present process. */
    long pid() {
        return command.handle().pid();
    }

    /** kill -9. */
    void kill() {
        ProcessHandle process = command.handle();
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Starts it again after its end, where it was. */
    void startAgain() throws IOException {
        launch();
    }

    /** Whoever wants any port gets one that nobody else will have when the relay was killed. */
    private static String free(String argument) throws IOException {
        return argument.equals(ANY_PORT) ? "127.0.0.1:" + freePort() : argument;
    }

    /** How many messages it has delivered since its start, in all modes, those of closed jobs included. */
    long delivered() throws IOException {
        return meters("posthouse_messages_total{direction=\"out\"").sum();
    }

    /** Waits until it has delivered so many. */
    void awaitDelivered(long messages) {
        await().atMost(PATIENCE).until(() -> delivered() >= messages);
    }

    /** A port that nobody listens at. It is none of those that connections and listeners of other tests get from the system. */
    static int freePort() throws IOException {
        for (int tries = 0; tries < FREE_PORTS; tries++) {
            int port = FREE_PORTS_FROM + NEXT_PORT.getAndIncrement() % FREE_PORTS;
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Somebody else's: the next one, then.
                assert tries >= 0;
            }
        }
        throw new BindException("no port is free in [" + FREE_PORTS_FROM + ", " + (FREE_PORTS_FROM + FREE_PORTS) + ")");
    }

    ReadyLine ready() {
        return ready;
    }

    /** What its process has printed of its log so far. */
    String err() {
        return command.err();
    }

    String ranks() {
        return ready.ranks();
    }

    /** Where its group member listens. */
    String group() {
        return group;
    }

    /** What its console answers to GET. */
    JsonNode get(String path) throws IOException {
        return new ObjectMapper().readTree(URI.create("http://" + ready.console() + path).toURL());
    }

    Command command() {
        return command;
    }

    /** The first of its meters whose line begins so. */
    long meter(String name) throws IOException {
        return meters(name).findFirst().orElseThrow();
    }

    /** The values of all series that begin so. */
    LongStream meters(String name) throws IOException {
        try (InputStream in = URI.create("http://" + ready.console() + "/metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(text -> text.startsWith(name))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
        }
    }

    /** Ends it as an operator does. */
    Command.Result stop() throws InterruptedException {
        command.handle().destroy();
        return command.await();
    }

    @Override
    public void close() {
        command.close();
    }
}
