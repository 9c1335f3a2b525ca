package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may give orders, how, and what everybody else is told. */
@Timeout(120)
class ModeRouteTest {
    private static final String PATH = "/api/v1/mode";
    private static final String[] JSON = {"Content-Type", "application/json"};

    private final OpsFixture ops;

    ModeRouteTest() throws Exception {
        ops = new OpsFixture();
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    @Test
    void changesTheModeOfAllRelaysOfTheProcess() throws Exception {
        ops.relays.add(new Scenes.MovingRelay(Scenes.relay("rennes", "rennes-b", 1, List.of())));
        HttpResponse<String> answer = ops.post(PATH, "{\"mode\":\"pooled\",\"loops\":4}", JSON);
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode changes = OpsFixture.parse(answer.body()).path("changes");
        assertThat(changes).hasSize(2);
        assertThat(changes.at("/1/relay").asText()).isEqualTo("rennes-b");
        assertThat(changes.at("/0/to").asText()).isEqualTo("pooled 4");
        assertThat(changes.at("/0/pauseMicrosMax").asLong()).isEqualTo(2_000);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
        "another mode | {\"mode\":\"fast\"} | expected pooled",
        "no mode | {} | is missing",
        "nothing | '' | not understood",
        "null | null | is missing",
        "no JSON | pooled | not understood",
        "a list | [] | expected as in",
        "an unknown word | {\"mode\":\"pooled\",\"speed\":1} | speed",
        "a word for a number | {\"mode\":\"pooled\",\"loops\":\"many\"} | loops",
    })
    void refusesMalformedModeRequest(String what, String body, String told) throws Exception {
        HttpResponse<String> answer = ops.post(PATH, body, JSON);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(OpsFixture.parse(answer.body()).path("error").asText()).contains(told).doesNotContain("org.posthouse", "JsonToken");
    }

    @Test
    void drainsAndUndrains() throws Exception {
        HttpResponse<String> answer = ops.post("/api/v1/drain", "{\"drain\":true}", JSON);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(OpsFixture.parse(answer.body()).at("/relays/0/drained").asBoolean()).isTrue();
        assertThat(OpsFixture.parse(answer.body()).at("/relays/0/carried").asInt()).isEqualTo(3);
        HttpResponse<String> undone = ops.post("/api/v1/drain", "{\"drain\":false}", JSON);
        assertThat(OpsFixture.parse(undone.body()).at("/relays/0/drained").asBoolean()).isFalse();
        assertThat(ops.post("/api/v1/drain", "{}", JSON).statusCode()).isEqualTo(400);
        assertThat(ops.post("/api/v1/drain", "{\"drain\":true}").statusCode()).isEqualTo(415);
        assertThat(ops.get("/api/v1/drain").statusCode()).isEqualTo(405);
    }

    /** What a page of another site can have a browser send, it must not be able to order. */
    @Test
    void aForeignPageCannotGiveOrders() throws Exception {
        String order = "{\"mode\":\"pooled\",\"loops\":4}";
        assertThat(ops.post(PATH, order).statusCode()).isEqualTo(415);
        assertThat(ops.post(PATH, order, "Content-Type", "text/plain").statusCode()).isEqualTo(415);
        for (String origin : new String[] {"http://evil.example", "null", "http://localhost.evil.example", "http://[::1", "http://127.0.0.1:1",
            "http://localhost:" + ops.server.port()}) {
            HttpResponse<String> answer = ops.post(PATH, order, "Content-Type", "application/json", "Origin", origin);
            assertThat(answer.statusCode()).as(origin).isEqualTo(403);
        }
        assertThat(ops.post(PATH, order, "Content-Type", "application/json", "Origin", "http://127.0.0.1:" + ops.server.port()).statusCode())
                .isEqualTo(200);
    }

    @Test
    void refusesALongBodyAndOtherMethods() throws Exception {
        assertThat(ops.post(PATH, " ".repeat(OrderRoute.BODY_BYTES_MAX + 1), JSON).statusCode()).isEqualTo(413);
        HttpResponse<String> answer = ops.get(PATH);
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("allow")).hasValue("POST");
    }
}
