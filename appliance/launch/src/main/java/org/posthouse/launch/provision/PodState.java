package org.posthouse.launch.provision;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * What Kubernetes tells of a Pod with an agent.
 *
 * @param name the Pod's name
 * @param node the node that it is bound to; empty before
 * @param phase Pending, Running, Succeeded or Failed
 * @param isEnding whether it is being deleted
 * @param isDisrupted whether Kubernetes ended it, for want of its node or room there: it is replaced then
 * @param why it does not run, in a line; empty if nobody knows
 */
record PodState(String name, String node, String phase, boolean isEnding, boolean isDisrupted, String why) {
    /** The Pods of a list. */
    static List<PodState> all(JsonNode list) {
        List<PodState> pods = new ArrayList<>();
        for (JsonNode pod : list.path("items")) {
            pods.add(of(pod));
        }
        return pods;
    }

    private static PodState of(JsonNode pod) {
        JsonNode status = pod.path("status");
        String why = status.path("phase").asText().equals("Pending") ? waiting(status) : ended(status);
        boolean isDisrupted = condition(status, "DisruptionTarget").path("status").asText().equals("True");
        return new PodState(
                pod.path("metadata").path("name").asText(), pod.path("spec").path("nodeName").asText(), status.path("phase").asText("Pending"),
                pod.path("metadata").has("deletionTimestamp"), isDisrupted, AgentOutput.printable(why));
    }

    private static JsonNode condition(JsonNode status, String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition;
            }
        }
        return status.path("conditions").path(type); // Missing.
    }

    /** The scheduler's words, or those of the node. */
    private static String waiting(JsonNode status) {
        JsonNode scheduled = condition(status, "PodScheduled");
        if (scheduled.path("status").asText().equals("False")) {
            return worded(scheduled);
        }
        for (String containers : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode container : status.path(containers)) {
                if (container.path("state").has("waiting")) {
                    return worded(container.path("state").path("waiting"));
                }
            }
        }
        return "";
    }

    private static String ended(JsonNode status) {
        for (String containers : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode container : status.path(containers)) {
                JsonNode end = container.path("state").path("terminated");
                if (end.path("exitCode").asInt() != 0) {
                    String reason = end.path("reason").asText();
                    return "ended with status " + end.path("exitCode").asInt() + (reason.isEmpty() || reason.equals("Error") ? "" : " (" + reason + ")");
                }
            }
        }
        return worded(status);
    }

    private static String worded(JsonNode from) {
        String reason = from.path("reason").asText();
        String message = from.path("message").asText();
        return reason + (reason.isEmpty() || message.isEmpty() ? "" : ": ") + message;
    }

    boolean runs() {
        return phase.equals("Running") && !isEnding;
    }

    boolean hasFailed() {
        return phase.equals("Failed");
    }
}
