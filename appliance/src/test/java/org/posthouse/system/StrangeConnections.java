package org.posthouse.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Nonce;

/**
 * Connects to ports again and again and says nothing, nonsense, or the beginning of something that one of our ports understands, changed, cut off or with a
 * length that cannot be. What it says follows from a seed. A program too, for another user: {@code SEED CONNECTIONS ADDRESS...}.
 */
final class StrangeConnections {
    /** So many stay open for a while. */
    private static final int HELD_MAX = 48;

    private final Random random;
    private final Deque<SocketChannel> held = new ArrayDeque<>();
    private final List<byte[]> openings;
    private int made;

    StrangeConnections(long seed) throws IOException, GeneralSecurityException {
        random = new Random(seed);
        openings = List.of(
                identify(Hello.launcher()),
                identify(Hello.firstStart(random.nextLong(), 0)),
                Hello.launcher().encode().array(),
                clientHello(),
                hazelcast(100_000_000),
                hazelcast(Integer.MAX_VALUE),
                hazelcast(-1),
                ascii("GET /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
                ascii("POST /api/v1/mode HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999\r\nContent-Type: application/json\r\n\r\n{\"mode\":"),
                ascii("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nX: " + "y".repeat(20_000) + "\r\n\r\n"),
                ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                ByteBuffer.allocate(16).putInt(Integer.MAX_VALUE).put((byte) 3).array(),
                ByteBuffer.allocate(16).putInt(262_192).put((byte) 3).array());
    }

    private byte[] identify(Hello hello) {
        return Identify.of(hello, new Nonce(random.nextLong(), random.nextLong())).encode().array();
    }

    public static void main(String[] arguments) throws IOException, GeneralSecurityException, InterruptedException {
        StrangeConnections all = new StrangeConnections(Long.parseLong(arguments[0]));
        for (String address : List.of(arguments).subList(2, arguments.length)) {
            all.pour(address(address), Integer.parseInt(arguments[1]));
        }
        System.out.println(all.made + " connections made");
    }

    private static SocketAddress address(String text) throws IOException {
        int colon = text.lastIndexOf(':');
        return text.contains("/")
                ? UnixDomainSocketAddress.of(text)
                : new InetSocketAddress(InetAddress.getByName(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] clientHello() throws IOException, GeneralSecurityException {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    /** How a member begins, and a packet of so many bytes: version, flags, partition, length. */
    private static byte[] hazelcast(int bytes) {
        return ByteBuffer.allocate(3 + 11 + 64).put(ascii("HZC")).put((byte) 4).putShort((short) 0).putInt(-1).putInt(bytes).array();
    }

    /** How many connections somebody has taken. */
    int made() {
        return made;
    }

    /** Makes so many connections to one address, one after the other. */
    void pour(SocketAddress to, int connections) throws IOException, InterruptedException {
        for (int i = 0; i < connections; i++) {
            connect(to);
        }
        while (!held.isEmpty()) {
            held.removeFirst().close();
        }
    }

    private void connect(SocketAddress to) throws IOException, InterruptedException {
        SocketChannel connection = null;
        try {
            connection = SocketChannel.open(to);
            made++;
            say(connection);
        } catch (IOException e) {
            // Not let in, or thrown out: as it should be.
            assert !e.getMessage().isEmpty() : e;
        }
        if (connection != null) {
            held.addLast(connection);
        }
        if (held.size() > HELD_MAX) {
            held.removeFirst().close();
        }
    }

    private void say(SocketChannel connection) throws IOException, InterruptedException {
        byte[] words = openings.get(random.nextInt(openings.size())).clone();
        switch (random.nextInt(6)) {
            case 0 -> {} // Not a word.
            case 1 -> {
                byte[] noise = new byte[1 + random.nextInt(4_096)];
                random.nextBytes(noise);
                write(connection, noise, noise.length);
            }
            case 2 -> write(connection, words, random.nextInt(words.length));
            case 3 -> {
                for (int change = random.nextInt(4); change >= 0; change--) {
                    words[random.nextInt(words.length)] = (byte) random.nextInt();
                }
                write(connection, words, words.length);
            }
            case 4 -> {
                for (int at = 0; at < Math.min(8, words.length); at++) {
                    connection.write(ByteBuffer.wrap(words, at, 1));
                    Thread.sleep(1); // Slow, as its peer sees it: each byte comes alone.
                }
            }
            default -> {
                write(connection, words, words.length);
                byte[] more = new byte[random.nextInt(2_048)];
                random.nextBytes(more);
                write(connection, more, more.length);
            }
        }
    }

    private static void write(SocketChannel connection, byte[] bytes, int count) throws IOException {
        connection.configureBlocking(false); // Whoever does not read is not waited for.
        connection.write(ByteBuffer.wrap(bytes, 0, count));
    }
}
