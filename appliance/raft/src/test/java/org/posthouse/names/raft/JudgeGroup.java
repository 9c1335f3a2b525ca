package org.posthouse.names.raft;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;

/** Three judges of one process, each at an address of its own. The connections between any two can be cut, from whichever end they were dialled. */
final class JudgeGroup implements AutoCloseable {
    static final RaftTiming FAST = new RaftTiming(200, 500, 3_000, 10_000, 1 << 20);

    private static final int PATIENCE_MS = 25_000;

    private final Path folder;
    private final RaftTiming timing;
    private final SortedMap<String, String> addresses = new TreeMap<>();
    private final Map<String, RaftNames> running = new TreeMap<>();
    private final Map<String, RaftNames> patient = new TreeMap<>();

    /** Judges on the smaller side of a cut. */
    private final Set<String> separated = ConcurrentHashMap.newKeySet();

    /** Open connections by the two relays at their ends. */
    private final Map<SocketChannel, List<String>> connections = new ConcurrentHashMap<>();

    JudgeGroup(Path folder, RaftTiming timing) throws IOException {
        this.folder = folder;
        this.timing = timing;
        List<ServerSocket> held = new ArrayList<>();
        for (int each = 1; each <= 3; each++) {
            ServerSocket port = new ServerSocket(0, 1, InetAddress.getByName("127.0.0." + each));
            held.add(port);
            addresses.put("site-" + each, "127.0.0." + each + ":" + port.getLocalPort());
        }
        for (ServerSocket port : held) {
            port.close();
        }
    }

    static JudgeGroup started(Path folder, RaftTiming timing) throws Exception {
        JudgeGroup group = new JudgeGroup(folder, timing);
        for (String judge : group.addresses.keySet()) {
            group.start(judge);
        }
        group.awaitLeader();
        return group;
    }

    Set<String> judges() {
        return addresses.keySet();
    }

    RaftConfig config(String relay) {
        return new RaftConfig(relay, addresses, folder.resolve(relay), timing, guard(relay));
    }

    RaftNames start(String relay) throws IOException {
        RaftNames names = RaftNames.open(config(relay));
        running.put(relay, names);
        return names;
    }

    /**
     * The names of a relay on the same side of every cut as a judge, which waits for long: on a busy machine an election may take several attempts.
     */
    RaftNames near(String judge) throws IOException {
        RaftNames known = patient.get(judge);
        if (known == null) {
            RaftTiming wait = new RaftTiming(timing.electionMsMin(), timing.electionMsMax(), PATIENCE_MS, timing.snapshotEntries(), timing.segmentBytes());
            known = RaftNames.open(new RaftConfig("near-" + judge, addresses, folder, wait, guard(judge)));
            patient.put(judge, known);
        }
        return known;
    }

    RaftNames names(String relay) {
        return running.get(relay);
    }

    /** A judge that runs. */
    String running() {
        return running.keySet().iterator().next();
    }

    void stop(String relay) {
        running.remove(relay).close();
    }

    /** Until a judge answers a look-up. */
    void awaitLeader() throws Exception {
        near(running()).lookup(Name.parse("any")).toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /** The judge that leads, as a majority of those that run knows it. */
    String leader() {
        return Awaitility.await().until(() -> {
            Map<String, Integer> known = new TreeMap<>();
            for (RaftNames each : running.values()) {
                each.leader().ifPresent(leader -> known.merge(leader, 1, Integer::sum));
            }
            return known.entrySet().stream().filter(each -> each.getValue() >= 2 && running.containsKey(each.getKey())).map(Map.Entry::getKey).findFirst();
        }, Optional::isPresent).orElseThrow();
    }

    /** Separates one judge from the others, and ends the connections that it has with them. */
    void cut(String judge) throws IOException {
        separated.add(judge);
        for (Map.Entry<SocketChannel, List<String>> each : connections.entrySet()) {
            if (each.getValue().contains(judge)) {
                each.getKey().close();
            }
        }
    }

    void heal() {
        separated.clear();
    }

    /** Notes which relay dials which, as the address of either end tells, and refuses what crosses a cut. */
    private PeerGuard guard(String relay) {
        return new PeerGuard() {
            @Override
            public void accept(SocketChannel channel) {
                // The dialling end has the same cut.
            }

            @Override
            public void dial(SocketChannel channel) throws IOException {
                String other = addresses.entrySet().stream()
                        .filter(each -> channel.socket().getRemoteSocketAddress().equals(Addresses.parse(each.getValue())))
                        .map(Map.Entry::getKey).findFirst().orElseThrow();
                connections.keySet().removeIf(each -> !each.isOpen());
                connections.put(channel, List.of(relay, other));
                if (separated.contains(relay) != separated.contains(other)) {
                    throw new IOException("cut");
                }
            }
        };
    }

    static NameException failure(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            return (NameException) e.getCause();
        }
        throw new AssertionError("it did not fail");
    }

    @Override
    public void close() {
        patient.values().forEach(RaftNames::close);
        running.values().forEach(RaftNames::close);
    }
}
