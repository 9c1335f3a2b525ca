package org.posthouse.ops;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.posthouse.status.JobStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.NamesStatus;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.Traffic;

/**
 * The JSON of the API and the live stream: the field names are the component names of the records. Stateless and
 * thread-safe. {@code openapi.json} describes the same shapes and a test compares the two.
 */
final class OpsJson {

    private static final ObjectMapper MAPPER = new ObjectMapper()
            .registerModule(new Jdk8Module())
            .addMixIn(RelayStatus.class, WithoutJobs.class)
            .addMixIn(RelayStatus.Counters.class, WithTraffic.class)
            .addMixIn(LinkStatus.class, OfLink.class);

    private OpsJson() {}

    static Buffer error(int status, String message) {
        return bytes(MAPPER.createObjectNode().put("status", status).put("error", message));
    }

    /** @param at the server's clock, milliseconds since 1970 UTC */
    static Buffer relays(Overview overview, long at) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("relays", relayArray(overview, at));
        return bytes(root);
    }

    static Buffer jobs(List<JobStatus> jobs) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("jobs", MAPPER.valueToTree(jobs));
        return bytes(root);
    }

    static Buffer job(JobStatus job) {
        return bytes(MAPPER.valueToTree(job));
    }

    /** One event of the live stream. {@code at} is the server's clock, milliseconds since 1970 UTC. */
    static Buffer overview(Overview overview, long at) {
        ObjectNode root = MAPPER.createObjectNode().put("at", at);
        root.set("relays", relayArray(overview, at));
        root.set("jobs", MAPPER.valueToTree(overview.jobs()));
        return bytes(root);
    }

    /** @throws JsonProcessingException if it is no order, or has words that orders have not */
    static ModeOrder modeOrder(Buffer body) throws JsonProcessingException {
        ModeOrder order = MAPPER.readValue(body == null ? "" : body.toString(), ModeOrder.class);
        if (order == null || order.mode() == null) {
            throw new JsonParseException(null, "\"mode\" is missing");
        }
        return order;
    }

    static Buffer modeReports(List<ModeReport> reports) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("changes", MAPPER.valueToTree(reports));
        return bytes(root);
    }

    /** @throws JsonProcessingException if it is no order, or has words that orders have not */
    static DrainOrder drainOrder(Buffer body) throws JsonProcessingException {
        DrainOrder order = MAPPER.readValue(body == null ? "" : body.toString(), DrainOrder.class);
        if (order == null || order.drain() == null) {
            throw new JsonParseException(null, "\"drain\" is missing");
        }
        return order;
    }

    static Buffer drainReports(List<DrainReport> reports) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("relays", MAPPER.valueToTree(reports));
        return bytes(root);
    }

    /** @throws JsonProcessingException if it is no order, or has words that orders have not */
    static NodeDrainOrder nodeDrainOrder(Buffer body) throws JsonProcessingException {
        NodeDrainOrder order = MAPPER.readValue(body == null ? "" : body.toString(), NodeDrainOrder.class);
        if (order == null || order.node() == null || order.drain() == null) {
            throw new JsonParseException(null, "\"node\" or \"drain\" is missing");
        }
        return order;
    }

    static Buffer nodeDrainReports(List<NodeDrainReport> reports) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("relays", MAPPER.valueToTree(reports));
        return bytes(root);
    }

    /** @throws JsonProcessingException if it is no order, or has words that orders have not */
    static EndJobOrder endJobOrder(Buffer body) throws JsonProcessingException {
        EndJobOrder order = MAPPER.readValue(body == null ? "" : body.toString(), EndJobOrder.class);
        if (order == null || order.job() == null) {
            throw new JsonParseException(null, "\"job\" is missing");
        }
        return order;
    }

    static CheckpointOrder checkpointOrder(Buffer body) throws JsonProcessingException {
        CheckpointOrder order = MAPPER.readValue(body == null ? "" : body.toString(), CheckpointOrder.class);
        if (order == null || order.job() == null) {
            throw new JsonParseException(null, "\"job\" is missing");
        }
        return order;
    }

    static Buffer checkpointReports(List<CheckpointReport> reports) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("relays", MAPPER.valueToTree(reports));
        return bytes(root);
    }

    static Buffer endJobReports(List<EndJobReport> reports) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("relays", MAPPER.valueToTree(reports));
        return bytes(root);
    }

    /** @throws JsonProcessingException if it is no login, or has words that logins have not; the message may have a part of the body */
    static LoginOrder loginOrder(Buffer body) throws JsonProcessingException {
        LoginOrder order = MAPPER.readValue(body == null ? "" : body.toString(), LoginOrder.class);
        if (order == null || order.isIncomplete()) {
            throw new JsonParseException(null, "\"name\" and \"password\", or \"secret\", are missing");
        }
        return order;
    }

    static Buffer account(Account account) {
        return bytes(account);
    }

    static Buffer loginForms(LoginForms forms) {
        return bytes(forms);
    }

    static Buffer done() {
        return bytes(MAPPER.createObjectNode().put("status", "ok"));
    }

    static Buffer events(List<RelayEvent> events) {
        ObjectNode root = MAPPER.createObjectNode();
        root.set("events", MAPPER.valueToTree(events));
        return bytes(root);
    }

    /** @param answer one of {@link JobQuestions} */
    static Buffer ofJob(Record answer) {
        return bytes(answer);
    }

    static Buffer history(SpeedHistory.Shown history) {
        return bytes(history);
    }

    static Buffer names(NamesStatus names) {
        return bytes(names);
    }

    static Buffer health() {
        return bytes(MAPPER.createObjectNode().put("status", "ok"));
    }

    static Buffer readiness(boolean ready, List<NotReady> problems) {
        ObjectNode root = MAPPER.createObjectNode().put("ready", ready);
        root.set("reasons", MAPPER.valueToTree(problems));
        return bytes(root);
    }

    /** Who asks, what he may do, and by what he has proved it: login, secret, peer, or none. */
    record Account(String name, String role, String proof) {}

    /** What a login asks for: name and password, the secret. */
    record LoginForms(boolean names, boolean secret) {}

    /** A login, by one or the other. */
    record LoginOrder(String name, String password, String secret) {
        boolean isIncomplete() {
            return secret == null && (name == null || password == null);
        }

        @Override
        public String toString() {
            return "a login"; // Not its parts.
        }
    }

    /** Why one relay takes no work; site and relay are empty when the reason is the process's own. */
    record NotReady(String site, String relay, String reason) {}

    private static ArrayNode relayArray(Overview overview, long at) {
        ArrayNode array = MAPPER.createArrayNode();
        for (Overview.Entry status : overview.relays()) {
            ObjectNode relay = MAPPER.valueToTree(status.snapshot());
            relay.put("ready", status.readiness().ready());
            relay.set("reasons", MAPPER.valueToTree(status.readiness().reasons()));
            relay.put("here", status.isHere());
            relay.put("asOf", status.isHere() ? at : status.heardAt());
            array.add(relay);
        }
        return array;
    }

    private static Buffer bytes(Object value) {
        try {
            return Buffer.buffer(MAPPER.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a snapshot cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Jobs are shown once, put together from all relays, not under each relay. */
    private interface WithoutJobs {
        @JsonIgnore
        List<JobStatus> jobs();
    }

    /** The components of the traffic stand beside the others. */
    private interface WithTraffic {
        @JsonUnwrapped
        Traffic traffic();
    }

    /** The last reason is shown as a part of what is parked. */
    private interface OfLink extends WithTraffic {
        @JsonIgnore
        String lastReason();
    }
}
