package org.posthouse.directory;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Groups of members on loopback ports picked by the system, quick to believe that somebody is gone. */
public final class Groups {
    static final GroupTiming QUICK = new GroupTiming(1, 20, 1, Duration.ofSeconds(1));

    private static final int PORT_MIN = 16_384;
    private static final int PORT_MAX = 32_768;

    private Groups() {}

    /**
     * Not of the range that the system takes ports for connections from: it would be gone again before a member has it.
     * Asks by a connection. A port that was bound to find out would be held on by each process that another test starts
     * meanwhile, until that has closed the descriptors it began with.
     */
    static int freePort(String host) throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX);
            try {
                new Socket(host, port).close();
            } catch (ConnectException e) {
                return port;
            }
        }
    }

    /**
     * Waits until a member has left its port. A process that another test starts holds the descriptors of this one until
     * it has closed them.
     */
    static void awaitFree(GroupConfig config) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> new ServerSocket(config.port(), 1, InetAddress.getByName(config.host())).close());
    }

    public static List<String> endpoints(String... hosts) throws IOException {
        List<String> endpoints = new ArrayList<>();
        for (String host : hosts) {
            endpoints.add(host + ":" + freePort(host));
        }
        return endpoints;
    }

    public static GroupConfig config(String cluster, String endpoint, List<String> members, String relay) {
        int colon = endpoint.indexOf(':');
        int port = Integer.parseInt(endpoint.substring(colon + 1));
        return new GroupConfig(cluster, endpoint.substring(0, colon), port, members, relay, QUICK, Optional.empty());
    }

    /** Starts relays r0, r1, … at the same time and waits until they are one group. */
    public static List<HazelcastDirectory> start(String cluster, List<String> endpoints) {
        List<CompletableFuture<HazelcastDirectory>> starts = IntStream.range(0, endpoints.size())
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> HazelcastDirectory.start(config(cluster, endpoints.get(i), endpoints, "r" + i)),
                        task -> new Thread(task, "start-" + i).start()))
                .toList();
        List<HazelcastDirectory> directories = starts.stream().map(CompletableFuture::join).toList();
        directories.forEach(directory -> awaitMembers(directory, endpoints.size()));
        return directories;
    }

    public static void awaitMembers(HazelcastDirectory directory, int members) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> directory.member().getCluster().getMembers().size() == members);
    }

    static RelayEntry relay(String id, long epoch) {
        return new RelayEntry("site-" + id, id, "127.0.0.1:7411", "", "", epoch, 1_000 + epoch);
    }

    static RankEntry rank(long job, int rank, int incarnation, String relay) {
        return new RankEntry(job, rank, "site-" + relay, relay, incarnation, "running");
    }
}
