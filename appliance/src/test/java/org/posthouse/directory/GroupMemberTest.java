package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.map.IMap;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import com.hazelcast.nio.serialization.genericrecord.GenericRecord;
import com.hazelcast.partition.PartitionAwareKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What a member shows to its host: alone in the JVM, whose threads, sockets and files are looked at. */
@Isolated
@Timeout(120)
class GroupMemberTest {
    private static boolean trapSprung;

    /** Stands for any class whose reading does something. */
    private static final class Trap implements Serializable {
        private void readObject(ObjectInputStream in) {
            trapSprung = true;
        }
    }

    @Test
    void listensOnItsLoopbackAddressOnlySpeaksToMembersOnlyAndLeavesNothing() throws IOException {
        Set<String> filesBefore = files();
        String endpoint = Groups.endpoints("127.0.0.3").getFirst();
        HazelcastDirectory directory =
                HazelcastDirectory.start(Groups.config("alone", endpoint, List.of(endpoint), "alone"));
        directory.announce(Groups.relay("alone", 1));
        try {
            assertThat(Sockets.listening()).as("TCP").contains(endpoint).allMatch(at -> at.startsWith("127."));
            assertThat(Sockets.udp()).as("UDP").isEmpty();
            assertHangsUpOn(endpoint, "CP2", "GET /hazelcast/health HTTP/1.1\r\n\r\n");
        } finally {
            directory.close();
        }
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(ourThreads()).isEmpty());
        assertThat(Sockets.listening()).doesNotContain(endpoint);
        assertThat(files()).isEqualTo(filesBefore);
    }

    @Test
    void readsNoJavaSerialisedObject() throws IOException {
        String endpoint = Groups.endpoints("127.0.0.1").getFirst();
        try (HazelcastDirectory directory =
                HazelcastDirectory.start(Groups.config("trap", endpoint, List.of(), "trap"))) {
            IMap<String, Object> map = directory.member().getMap("foreign");
            map.set("own", new Trap());
            map.set("platform", new BitSet());

            for (String key : List.of("own", "platform")) {
                assertThatThrownBy(() -> map.get(key))
                        .isInstanceOf(HazelcastSerializationException.class)
                        .hasRootCauseInstanceOf(SecurityException.class);
            }
            assertThat(trapSprung).isFalse();
        }
    }

    /** Stands for any class of the class path, in Hazelcast's own format, which names it. */
    static final class NamedTrap implements DataSerializable {
        NamedTrap() {
            trapSprung = true;
        }

        @Override
        public void writeData(ObjectDataOutput out) {}

        @Override
        public void readData(ObjectDataInput in) {
            trapSprung = true;
        }
    }

    /** In Hazelcast's compact format, which names it too. */
    static final class CompactTrap {
        private final int field = 1;
    }

    @Test
    void createsNoObjectOfAClassThatAMemberNames() throws IOException {
        List<HazelcastDirectory> group = Groups.start("named", Groups.endpoints("127.0.0.1", "127.0.0.1"));
        try {
            HazelcastDirectory reader = group.getFirst();
            IMap<String, Object> sent = group.getLast().member().getMap("foreign");
            sent.set("own", new NamedTrap());
            sent.set("compact", new CompactTrap());
            sent.set("hazelcast's", new PartitionAwareKey<>("a", "b"));
            trapSprung = false; // The constructor has run for what was sent.

            IMap<String, Object> map = reader.member().getMap("foreign");
            for (String key : List.of("own", "hazelcast's")) {
                long before = refusedClasses(reader);
                assertThatThrownBy(() -> map.get(key), key).hasStackTraceContaining("is none that members of the group name");
                assertThat(refusedClasses(reader)).as(key).isGreaterThan(before);
            }
            long before = refusedClasses(reader);
            assertThat(map.get("compact")).as("fields without a class").isInstanceOf(GenericRecord.class);
            assertThat(refusedClasses(reader)).isGreaterThan(before);
            assertThat(trapSprung).isFalse();
        } finally {
            group.forEach(HazelcastDirectory::close);
        }
    }

    private static long refusedClasses(HazelcastDirectory directory) {
        return directory.refusals().getOrDefault(GroupRefusal.CLASS, 0L);
    }

    @Test
    void saysInOneLineThatThePortIsInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String endpoint = "127.0.0.1:" + taken.getLocalPort();
            GroupConfig config = Groups.config("taken", endpoint, List.of(), "r1");

            assertThatThrownBy(() -> HazelcastDirectory.start(config))
                    .isInstanceOf(GroupException.class)
                    .hasMessageContaining(endpoint)
                    .hasMessageContaining("cannot be bound")
                    .hasMessageContaining("another port with --group, or with --tunnel-group at all relays")
                    .message()
                    .hasLineCount(1);
        }
    }

    /** Greets first and reads then: Hazelcast takes 5 s to close a socket for good. */
    private static void assertHangsUpOn(String endpoint, String... greetings) throws IOException {
        String[] parts = endpoint.split(":", 2);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (String greeting : greetings) {
                Socket socket = new Socket(parts[0], Integer.parseInt(parts[1]));
                sockets.add(socket);
                socket.setSoTimeout(60_000);
                socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
            }
            for (Socket socket : sockets) {
                assertThat(answer(socket.getInputStream())).isIn("", "HZX");
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** What comes until the other end hangs up, with or without a reset. */
    private static String answer(InputStream in) throws IOException {
        StringBuilder answer = new StringBuilder();
        try {
            for (int octet = in.read(); octet >= 0; octet = in.read()) {
                answer.append((char) octet);
            }
        } catch (SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
        return answer.toString();
    }

    private static List<String> ourThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("hz.") || name.startsWith("posthouse-directory"))
                .toList();
    }

    private static Set<String> files() throws IOException {
        Set<String> files = new TreeSet<>();
        for (Path folder : Set.of(Path.of(""), Path.of(System.getProperty("java.io.tmpdir")))) {
            try (Stream<Path> list = Files.list(folder)) {
                files.addAll(list.map(Path::toString).collect(Collectors.toSet()));
            }
        }
        return files;
    }
}
