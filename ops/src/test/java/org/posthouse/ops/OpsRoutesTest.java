package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;

/** Every path of the API answers as openapi.json says, in good and bad cases. */
@Timeout(120)
class OpsRoutesTest {

    private OpsFixture ops;

    @BeforeEach
    void open() throws Exception {
        ops = new OpsFixture();
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/healthz", "/livez"})
    void healthAnswersWhileTheLoopTurns(String path) throws Exception {
        HttpResponse<String> answer = ops.get(path);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(OpsFixture.parse(answer.body()).path("status").asText()).isEqualTo("ok");
    }

    @Test
    void headAnswersWithoutBody() throws Exception {
        HttpResponse<String> answer = ops.send("HEAD", "/healthz");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void isReadyWhenEveryRelayIs() throws Exception {
        HttpResponse<String> answer = ops.get("/readyz");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(OpsFixture.parse(answer.body()).path("ready").asBoolean()).isTrue();
    }

    @Test
    void tellsWhichRelayIsNotReadyAndWhy() throws Exception {
        ops.relays.add(new Scenes.MovingRelay(Scenes.relay("orsay", "orsay-a", 1, List.of())));
        ops.relay.readiness = Readiness.notReady("the log's disk is full; free space");
        HttpResponse<String> answer = ops.get("/readyz");
        assertThat(answer.statusCode()).isEqualTo(503);
        JsonNode body = OpsFixture.parse(answer.body());
        assertThat(body.path("ready").asBoolean(true)).isFalse();
        assertThat(body.path("reasons")).hasSize(1);
        assertThat(body.at("/reasons/0/site").asText()).isEqualTo("rennes");
        assertThat(body.at("/reasons/0/relay").asText()).isEqualTo("rennes-a");
        assertThat(body.at("/reasons/0/reason").asText()).isEqualTo("the log's disk is full; free space");
    }

    @Test
    void isNotReadyWithoutRelaysOrWithOneThatFails() throws Exception {
        ops.relay.failure = new IllegalStateException("mailbox table is being rebuilt");
        assertThat(ops.get("/readyz").statusCode()).isEqualTo(503);
        assertThat(ops.get("/readyz").body()).contains("mailbox table is being rebuilt");
        ops.relays.clear();
        assertThat(ops.get("/readyz").statusCode()).isEqualTo(503);
        assertThat(ops.get("/readyz").body()).contains("no relay runs in this process");
    }

    @Test
    void listsRelaysWithTheirCountersButNotTheirJobs() throws Exception {
        ops.relay.snapshot = Scenes.withoutLog(ops.relay.snapshot);
        JsonNode relay = ops.json("/api/v1/relays").at("/relays/0");
        assertThat(relay.path("site").asText()).isEqualTo("rennes");
        assertThat(relay.at("/counters/messagesIn").asLong()).isEqualTo(10);
        assertThat(relay.at("/links/1/state").asText()).isEqualTo("DOWN");
        assertThat(relay.path("log").isNull()).isTrue();
        assertThat(relay.has("jobs")).isFalse();
        assertThat(relay.path("ready").asBoolean()).isTrue();
    }

    @Test
    void reportsTrafficPerLaneAndStreamsOfLink() throws Exception {
        JsonNode link = ops.json("/api/v1/relays").at("/relays/0/links/0");
        assertThat(link.path("perLane")).hasSize(4);
        assertThat(link.at("/perLane/1")).isEqualTo(OpsFixture.parse(
                "{\"lane\":1,\"up\":true,\"inSession\":true,\"via\":[\"rennes-b\"],\"bytesIn\":44,\"bytesOut\":45,\"waitingBytes\":46}"));
        assertThat(link.at("/perLane/2/inSession").asBoolean(true)).isFalse();
        assertThat(link.at("/perLane/3/up").asBoolean(true)).isFalse();
        assertThat(link.path("streams")).isEqualTo(OpsFixture.parse(
                "{\"open\":2,\"bytesIn\":51,\"bytesOut\":52,\"tokensIn\":53,\"tokensOut\":54}"));
    }

    @Test
    void mergesJobFromAllRelaysThatReportIt() throws Exception {
        JobStatus west = Scenes.job(Scenes.JOB, List.of(Scenes.rank(4, "orsay-a", RankStatus.State.LOST, 2, 9)));
        ops.relays.add(new Scenes.MovingRelay(Scenes.relay("orsay", "orsay-a", 1, List.of(west))));
        JsonNode jobs = ops.json("/api/v1/jobs").path("jobs");
        assertThat(jobs).hasSize(1);
        assertThat(jobs.at("/0/ranks")).hasSize(5);
        JsonNode job = ops.json("/api/v1/jobs/" + Scenes.JOB);
        assertThat(job.path("name").asText()).isEqualTo("demo.Ring");
        assertThat(job.at("/ranks/4/state").asText()).isEqualTo("LOST");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/api/v1/jobs/XYZ", "/api/v1/jobs/1f4c9ae02b77d3101f4c9ae02b77d3101f", "/api/v1/jobs/%22%3E%3Cb%3E"})
    void refusesMalformedJobId(String path) throws Exception {
        HttpResponse<String> answer = ops.get(path);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(error(answer)).contains("is no job id: expected 1 to 32 lower-case hexadecimal digits");
        assertThat(answer.headers().firstValue("content-type")).hasValue("application/json; charset=utf-8");
    }

    @Test
    void saysThatNoRelayKnowsAJob() throws Exception {
        HttpResponse<String> answer = ops.get("/api/v1/jobs/abc");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(error(answer)).isEqualTo("no relay here knows job abc; /api/v1/jobs lists those it knows");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/api/v1/relay", "/console/../openapi.json.bak", "/console/OpsServer.class",
        "/webjars/lit/package.json", "/console/%2e%2e/%2e%2e/OpsServer.class", "/webjars/"})
    void answersUnknownPathsWithOneLine(String path) throws Exception {
        HttpResponse<String> answer = ops.get(path);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(error(answer)).startsWith("no such path: ").doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "DELETE", "PUT"})
    void changesNothing(String method) throws Exception {
        HttpResponse<String> answer = ops.send(method, "/api/v1/jobs");
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("allow")).hasValue("GET, HEAD");
        assertThat(error(answer)).contains("read-only").contains(method);
    }

    @Test
    void eventsHaveNoHead() throws Exception {
        HttpResponse<String> answer = ops.send("HEAD", "/api/v1/events");
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("allow")).hasValue("GET");
    }

    @Test
    void answersMalformedEscapesWithAnError() throws Exception {
        String answer = ops.exchange("GET /api/v1/jobs/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("the request is malformed");
    }

    @Test
    void hidesFailuresOfAViewBehindOneLine() throws Exception {
        ops.relay.failure = new IllegalStateException("secret detail");
        HttpResponse<String> answer = ops.get("/api/v1/relays");
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(error(answer)).isEqualTo("the relay could not answer; its log says why");
        assertThat(answer.headers().firstValue("content-security-policy")).isPresent();
    }

    private static String error(HttpResponse<String> answer) throws Exception {
        JsonNode body = OpsFixture.parse(answer.body());
        assertThat(body.path("status").asInt()).isEqualTo(answer.statusCode());
        return body.path("error").asText();
    }
}
