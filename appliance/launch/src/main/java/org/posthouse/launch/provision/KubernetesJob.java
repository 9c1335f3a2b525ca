package org.posthouse.launch.provision;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.job.JobFailure;

/**
 * A Job with agents in a Kubernetes cluster. Any thread may call it.
 *
 * <p>It has a deadline ({@code activeDeadlineSeconds}), which its launcher moves on while it lives. So Kubernetes ends the
 * agents of a launcher that was killed.
 */
final class KubernetesJob {
    private final Kubectl kubectl;
    private final String namespace;
    private final String name;
    /** Not later than Kubernetes' own start of the Job, from which its deadline counts. */
    private final long createdNs = System.nanoTime();

    private KubernetesJob(Kubectl kubectl, String namespace, String name) {
        this.kubectl = kubectl;
        this.namespace = namespace;
        this.name = name;
    }

    /** @throws JobFailure in one line, with Kubernetes' words, if it refuses the Job */
    static KubernetesJob create(Kubectl kubectl, String namespace, ObjectNode job) throws JobFailure {
        KubernetesJob made = new KubernetesJob(kubectl, namespace, job.path("metadata").path("name").asText());
        try {
            kubectl.ask(job.toString(), "create", "--raw", made.jobs() + "?fieldValidation=Strict", "-f", "-");
        } catch (JobFailure e) {
            made.tryDelete(e); // It may have been created, and the answer lost.
            throw new JobFailure("Kubernetes has not taken the agents' Job: " + e.getMessage(), e);
        }
        return made;
    }

    private void tryDelete(JobFailure why) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            delete();
        } catch (JobFailure e) {
            why.addSuppressed(e);
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private String jobs() {
        return "/apis/batch/v1/namespaces/" + namespace + "/jobs";
    }

    private String pods(String rest) {
        return "/api/v1/namespaces/" + namespace + "/pods" + rest;
    }

    /** Its Pods, those that have ended too. */
    List<PodState> pods() throws JobFailure {
        return PodState.all(kubectl.json("get", "--raw", pods("?labelSelector=job-name%3D" + name)));
    }

    /** Why it is over, in a line; empty if it is not. */
    Optional<String> end() throws JobFailure {
        JsonNode found = kubectl.json("get", "--raw", jobs() + "?fieldSelector=metadata.name%3D" + name).path("items");
        if (found.isEmpty()) {
            return Optional.of("it was deleted");
        }
        for (JsonNode condition : found.path(0).path("status").path("conditions")) {
            String type = condition.path("type").asText();
            boolean isEnd = type.equals("Failed") || type.equals("Complete");
            if (isEnd && condition.path("status").asText().equals("True")) {
                String reason = condition.path("reason").asText();
                String message = condition.path("message").asText();
                return Optional
                        .of(AgentOutput.printable(type.equals("Complete") ? "all its agents have ended" : reason + (message.isEmpty() ? "" : ": " + message)));
            }
        }
        return Optional.empty();
    }

    /** Lets it run for so long from now on. */
    void extend(int seconds) throws JobFailure {
        long deadline = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - createdNs) + seconds;
        kubectl.ask("", "patch", "job", name, "--namespace", namespace, "--type=merge", "-p", "{\"spec\":{\"activeDeadlineSeconds\":" + deadline + "}}");
    }

    /** The last line that a Pod's agent has printed; empty if there is none. */
    String lastLine(String pod) {
        try {
            String printed = kubectl.ask("", "get", "--raw", pods("/" + pod + "/log?tailLines=1")).strip();
            return AgentOutput.printable(printed.substring(printed.lastIndexOf('\n') + 1));
        } catch (JobFailure e) {
            return ""; // It has not started, or is gone.
        }
    }

    /** Deletes it. Its Pods go after it, by Kubernetes' collector of garbage. */
    void delete() throws JobFailure {
        kubectl.ask("", "delete", "--raw", jobs() + "/" + name + "?propagationPolicy=Background");
    }

    /** For people. */
    @Override
    public String toString() {
        return "Kubernetes' Job " + name + " in namespace " + namespace;
    }

    /** The command that deletes it. */
    String deletion() {
        return "kubectl delete job " + name + " --namespace " + namespace;
    }
}
