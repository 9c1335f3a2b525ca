package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;

/** The live stream and long answers are packed for clients that ask for it, and others get them as they are. */
@Timeout(120)
class PackedStreamTest {
    private static final String GZIP = "Accept-Encoding: gzip, deflate\r\n";
    private static final int GZIP_HEAD_BYTES = 10;
    private static final int EVENTS_A_SECOND = 50;
    private static final long BITS_A_SECOND_MAX = 1_000_000;

    /** One overview a second, in which every number has changed, and fifty events. */
    @Test
    void fiveHundredBusyRanksTakeLessThanAMegabitASecond() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            ops.relays.clear();
            ops.relays.addAll(List.of(new BusyRelay("rennes", 0, 256), new BusyRelay("orsay", 256, 512)));
            try (Socket socket = ops.raw(subscribe(GZIP))) {
                ChunkedReader chunks = new ChunkedReader(socket.getInputStream());
                assertThat(chunks.head).contains("content-encoding: gzip", "vary: accept-encoding");
                assertThat(chunks.next()).hasSize(GZIP_HEAD_BYTES);
                Inflater inflater = new Inflater(true);
                int seconds = 0;
                int events = 0;
                long text = 0;
                long packed = 0;
                for (int chunk = 0; seconds < 20; chunk++) {
                    byte[] bytes = chunks.next();
                    String event = inflated(inflater, bytes);
                    assertThat(event).as("an event that is read from what has come").endsWith("\n\n");
                    if (chunk > 2) { // The first are what the page begins with.
                        seconds += event.startsWith("event: overview\n") ? 1 : 0;
                        events += event.startsWith("event: log\n") ? OpsFixture.parse(event.split("\ndata: ")[1]).path("events").size() : 0;
                        text += event.length();
                        packed += bytes.length;
                    }
                }
                System.out.println("512 ranks: " + text * 8 / seconds + " bits a second are packed to " + packed * 8 / seconds);
                assertThat(events / seconds).as("events a second").isBetween(EVENTS_A_SECOND / 2, EVENTS_A_SECOND * 2);
                assertThat(packed * 8 / seconds).as("bits of overview and events a second").isLessThan(BITS_A_SECOND_MAX);
                inflater.end();
            }
        }
    }

    /** With checksum and length, which a client checks at its end. */
    @Test
    void thePackedStreamIsWholeWhenTheConsoleCloses() throws Exception {
        try (OpsFixture ops = new OpsFixture(); Socket socket = ops.raw(subscribe(GZIP))) {
            ChunkedReader chunks = new ChunkedReader(socket.getInputStream());
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.writeBytes(chunks.next());
            ops.server.close().await(60, TimeUnit.SECONDS);
            for (byte[] chunk = chunks.next(); chunk.length > 0; chunk = chunks.next()) {
                body.writeBytes(chunk);
            }
            assertThat(unpacked(body.toByteArray())).startsWith("retry: 2000\n\nevent: overview\ndata: {\"at\":").endsWith("\n\n");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                | false
            Accept-Encoding: gzip             | true
            Accept-Encoding: br, GZIP;q=0.5   | true
            Accept-Encoding: br, gzip; q=0    | false
            Accept-Encoding: br, gzip;q=0.000 | false
            Accept-Encoding: deflate          | false
            """)
    void onlyWhoAsksForGzipGetsIt(String header, boolean isPacked) throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            for (String path : List.of("/api/v1/events", "/console/app.js", "/api/v1/grid", "/")) {
                try (Socket socket = ops.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + (header.isEmpty() ? "" : header + "\r\n") + "\r\n")) {
                    String head = ChunkedReader.head(socket.getInputStream());
                    assertThat(head.contains("content-encoding: gzip")).as(path).isEqualTo(isPacked);
                    assertThat(head).as("for caches").contains("vary: accept-encoding");
                }
            }
        }
    }

    @Test
    void packedFilesAndAnswersAreTheSameAsThosePlain() throws Exception {
        try (OpsFixture ops = new OpsFixture(); HttpClient client = HttpClient.newHttpClient()) {
            for (String path : List.of("/console/app.js", "/webjars/lit-html/lit-html.js", "/api/v1/jobs/" + Scenes.JOB + "/waits")) {
                HttpResponse<byte[]> packed = client.send(HttpRequest.newBuilder(ops.uri(path)).header("Accept-Encoding", "gzip").build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                HttpResponse<String> plain = ops.get(path);
                assertThat(unpacked(packed.body())).as(path).isEqualTo(plain.body());
                assertThat(packed.headers().firstValue("etag")).as("tag of %s in another form", path)
                        .satisfies(tag -> assertThat(tag.isPresent() && tag.equals(plain.headers().firstValue("etag"))).isFalse());
            }
        }
    }

    private static String subscribe(String header) {
        return "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n";
    }

    private static String inflated(Inflater inflater, byte[] bytes) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] part = new byte[8_192];
        inflater.setInput(bytes);
        for (int n = inflater.inflate(part); n > 0; n = inflater.inflate(part)) {
            text.write(part, 0, n);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static String unpacked(byte[] gzip) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** An HTTP answer, chunk by chunk. */
    private static final class ChunkedReader {
        final String head;
        private final InputStream in;

        ChunkedReader(InputStream in) throws IOException {
            this.in = in;
            this.head = head(in);
        }

        static String head(InputStream in) throws IOException {
            StringBuilder head = new StringBuilder();
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                head.append(line.toLowerCase(java.util.Locale.ROOT)).append('\n');
            }
            return head.toString();
        }

        /** Empty at the end. */
        byte[] next() throws IOException {
            int length = Integer.parseInt(line(in), 16);
            byte[] chunk = in.readNBytes(length);
            assertThat(chunk).hasSize(length);
            line(in);
            return chunk;
        }

        private static String line(InputStream in) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                assertThat(c).as("the connection ended in a line: %s", line).isNotNegative();
                line.append((char) c);
            }
            return line.toString().strip();
        }
    }

    /** Half of a job's ranks, all of whose numbers differ from one look to the next. */
    private static final class BusyRelay implements RelayView {
        private final String site;
        private final int from;
        private final int to;
        private final Random random = new Random(7);

        BusyRelay(String site, int from, int to) {
            this.site = site;
            this.from = from;
            this.to = to;
        }

        @Override
        public synchronized RelayStatus snapshot() {
            return Scenes.relay(site, site + "-a", random.nextInt(1_000_000),
                    List.of(Scenes.job(Scenes.JOB, Scenes.busyRanks(from, to, site, site + "-a", random))));
        }

        @Override
        public List<RelayEvent> events(long after, int limit) {
            return LongStream.rangeClosed(after + 1, after + EVENTS_A_SECOND / 2).mapToObj(id -> new RelayEvent(id, System.currentTimeMillis(), site + "-a",
                    "RANK_RESTARTED", Scenes.JOB, (int) (id % 512), "demo.Ring: rank " + id % 512 + " was started again as incarnation " + id)).toList();
        }

        @Override
        public RelayMetrics metrics() {
            return RelayMetrics.NONE;
        }

        @Override
        public Readiness readiness() {
            return Readiness.ok();
        }
    }
}
