package org.posthouse.ops.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.ops.Readiness;
import org.posthouse.ops.RelayView;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;
import org.slf4j.LoggerFactory;

/** Traces as a collector gets them, over HTTP. */
@Timeout(60)
class ControlTracesTest {
    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private HttpServer collector;

    @BeforeEach
    void start() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            bodies.add(exchange.getRequestHeaders().getFirst("Content-Type") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    private URI endpoint() {
        return ControlTraces.endpoint("http://127.0.0.1:" + collector.getAddress().getPort());
    }

    private static RelayView relay(List<RelayEvent> events) {
        return new RelayView() {
            @Override
            public RelayStatus snapshot() {
                return new RelayStatus("s", "a", "pooled", "0.1.0", 1, "127.0.0.1:7411", List.of(), List.of(), List.of(), RelayStatus.Counters.ZERO,
                        Optional.empty(), Optional.empty(), Optional.empty(), List.of());
            }

            @Override
            public Readiness readiness() {
                return Readiness.ok();
            }

            @Override
            public RelayMetrics metrics() {
                return RelayMetrics.NONE;
            }

            @Override
            public List<RelayEvent> events(long after, int limit) {
                return events.stream().filter(event -> event.id() > after).toList();
            }
        };
    }

    private static List<RelayEvent> job() {
        return List.of(
                new RelayEvent(1, 1_000, "a", "JOB_OPENED", "1f4c9ae02b77d310", -1, "heat"),
                new RelayEvent(2, 2_000, "a", "JOB_ENDED", "1f4c9ae02b77d310", -1, "heat"));
    }

    @Test
    void aCollectorGetsTheSpansOfAJobOnce() {
        try (ControlTraces traces = ControlTraces.start(endpoint(), relay(job()), 10)) {
            traces.ordered("user 7", "DrainOrder");
            await().until(() -> String.join("", bodies).contains("console order"));
        }
        String all = String.join("", bodies);
        assertThat(all).startsWith("application/x-protobuf").contains("posthouse-relay", "posthouse.site", "user 7");
        assertThat(all.split("job ended", -1)).as("the job's last event, once").hasSize(2);
    }

    @Test
    void aCollectorThatRefusesIsOneLineInTheLog() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ToldExporter.class);
        logger.addAppender(log);
        status.set(400);
        try (ControlTraces traces = ControlTraces.start(endpoint(), relay(job()), 10)) {
            await().until(() -> !log.list.isEmpty());
            traces.ordered("user 7", "DrainOrder");
        }
        logger.detachAppender(log);
        assertThat(log.list).hasSize(1);
        assertThat(log.list.getFirst().getFormattedMessage()).contains("traces cannot be sent to http://127.0.0.1:", "it refuses them", "spans are lost");
    }

    @ParameterizedTest
    @CsvSource({
        "http://c:4318, http://c:4318/v1/traces",
        "http://c:4318/, http://c:4318/v1/traces",
        "https://c/otlp/v1/traces, https://c/otlp/v1/traces"
    })
    void anAddressWithoutAPathGetsTheUsualOne(String given, String endpoint) {
        assertThat(ControlTraces.endpoint(given)).hasToString(endpoint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"c:4318", "ftp://c:1", "http://", "http://a b", ""})
    void whatIsNoAddressIsRefusedByName(String given) {
        assertThatIllegalArgumentException().isThrownBy(() -> ControlTraces.endpoint(given)).withMessageContaining("--traces \"" + given + "\"");
    }
}
