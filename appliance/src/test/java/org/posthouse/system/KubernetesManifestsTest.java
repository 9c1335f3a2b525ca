package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.posthouse.cli.Posthouse;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;

/** ops/kubernetes/ against Kubernetes' own types, and against what the product knows: options, ports, rights of files. */
class KubernetesManifestsTest {
    private static final Path MANIFESTS = Path.of(System.getProperty("basedir", ""), "../ops/kubernetes");
    private static final Map<String, Class<? extends HasMetadata>> KINDS =
            Map.of("v1 Service", Service.class, "apps/v1 StatefulSet", StatefulSet.class, "batch/v1 Job", Job.class);
    private static final Pattern VARIABLE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

    /** Refuses fields that Kubernetes does not have. */
    private static final ObjectMapper STRICT = new ObjectMapper().setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
        private static final long serialVersionUID = 1;

        @Override
        public Boolean hasAnySetter(Annotated annotated) {
            return false;
        }
    });

    private static List<HasMetadata> objects(String text) {
        List<HasMetadata> found = new ArrayList<>();
        for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(text)) {
            Map<?, ?> fields = (Map<?, ?>) document;
            Class<? extends HasMetadata> kind = KINDS.get(fields.get("apiVersion") + " " + fields.get("kind"));
            assertThat(kind).as("%s %s", fields.get("apiVersion"), fields.get("kind")).isNotNull();
            found.add(STRICT.convertValue(document, kind));
        }
        return found;
    }

    private static List<HasMetadata> all() throws IOException {
        List<HasMetadata> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(MANIFESTS)) {
            for (Path file : files.sorted().toList()) {
                found.addAll(objects(Files.readString(file)));
            }
        }
        return found;
    }

    private static <T> T only(Class<T> kind) throws IOException {
        List<T> found = all().stream().filter(kind::isInstance).map(kind::cast).toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    private static List<PodSpec> pods() throws IOException {
        return List.of(only(StatefulSet.class).getSpec().getTemplate().getSpec(), only(Job.class).getSpec().getTemplate().getSpec());
    }

    /** The value behind an option. */
    private static String option(Container container, String name) {
        return container.getArgs().get(container.getArgs().indexOf(name) + 1);
    }

    private static String byDefault(String command, String option) {
        return Posthouse.commandLine().getSubcommands().get(command).getCommandSpec().findOption(option).defaultValue();
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    @Test
    void manifestsHaveFieldsOfKubernetesAlone() throws IOException {
        assertThat(all()).hasSize(3);
        String agents = Files.readString(MANIFESTS.resolve("agents.yaml"));
        for (String wrong : List.of(
                agents.replace("podReplacementPolicy", "podReplacementsPolicy"), agents.replace("fieldRef", "fieldsRef"),
                agents.replace("mountPath", "path"), agents.replace("maxSkew: 1", "maxSkew: many"))) {
            assertThatThrownBy(() -> objects(wrong)).hasCauseInstanceOf(JsonMappingException.class);
        }
    }

    @Test
    void argumentsAreOptionsOfTheCommand() throws IOException {
        for (PodSpec pod : pods()) {
            Container container = pod.getContainers().getFirst();
            Set<String> known = new HashSet<>(Set.of("JOB_COMPLETION_INDEX"));
            container.getEnv().stream().map(EnvVar::getName).forEach(known::add);
            assertThat(container.getArgs().stream().flatMap(word -> VARIABLE.matcher(word).results()).map(found -> found.group(1))).isSubsetOf(known);
            String[] words = container.getArgs().stream().map(word -> VARIABLE.matcher(word).replaceAll("2")).toArray(String[]::new);
            CommandLine command = Posthouse.commandLine();
            assertThatCode(() -> command.parseArgs(words)).as("%s", container.getArgs()).doesNotThrowAnyException();
        }
    }

    @Test
    void portsAndNamesAreThoseOfTheRelay() throws IOException {
        Service service = only(Service.class);
        StatefulSet relay = only(StatefulSet.class);
        Container relayContainer = relay.getSpec().getTemplate().getSpec().getContainers().getFirst();
        int ranks = port(byDefault("relay", "--listen"));
        String address = service.getMetadata().getName() + ":" + ranks;
        assertThat(service.getSpec().getPorts()).extracting(ServicePort::getPort).containsExactly(ranks);
        assertThat(service.getSpec().getPublishNotReadyAddresses()).as("ranks reach a relay that reads its log").isTrue();
        assertThat(relayContainer.getPorts()).hasSize(1).allMatch(port -> port.getContainerPort() == ranks);
        assertThat(port(option(relayContainer, "--listen"))).isEqualTo(ranks);
        assertThat(option(relayContainer, "--announce")).isEqualTo(address);
        assertThat(option(only(Job.class).getSpec().getTemplate().getSpec().getContainers().getFirst(), "--relay")).isEqualTo(address);
        assertThat(relay.getSpec().getServiceName()).isEqualTo(service.getMetadata().getName());
        assertThat(relay.getSpec().getTemplate().getMetadata().getLabels()).containsAllEntriesOf(service.getSpec().getSelector())
                .containsAllEntriesOf(relay.getSpec().getSelector().getMatchLabels());
        for (List<String> probe : List.of(relayContainer.getReadinessProbe().getExec().getCommand(),
                relayContainer.getLivenessProbe().getExec().getCommand())) {
            List<String> ports = Pattern.compile("127\\.0\\.0\\.1[:/]([0-9]+)").matcher(probe.getLast()).results().map(found -> found.group(1)).toList();
            assertThat(ports).hasSize(2).containsOnly(Integer.toString(port(byDefault("relay", "--ops"))));
        }
    }

    @Test
    void volumesAreThereAndTheTokenIsItsOwnersAlone() throws IOException {
        for (PodSpec pod : pods()) {
            Map<String, Volume> volumes = pod.getVolumes().stream().collect(Collectors.toMap(Volume::getName, volume -> volume));
            Set<String> known = new HashSet<>(volumes.keySet());
            only(StatefulSet.class).getSpec().getVolumeClaimTemplates().forEach(claim -> known.add(claim.getMetadata().getName()));
            Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                    .forEach(each -> assertThat(each.getVolumeMounts()).extracting(VolumeMount::getName).isSubsetOf(known));
            Container container = pod.getContainers().getFirst();
            String file = option(container, "--token-file");
            VolumeMount mount = container.getVolumeMounts().stream().filter(each -> file.startsWith(each.getMountPath() + "/")).findFirst().orElseThrow();
            // Kubernetes sets the rights of a Secret's files as the Pod's fsGroup wants them; those of a copy stay.
            assertThat(volumes.get(mount.getName()).getSecret()).isNull();
            assertThat(volumes.get(mount.getName()).getEmptyDir().getMedium()).isEqualTo("Memory");
            assertThat(pod.getInitContainers().getFirst().getCommand()).containsExactly("install", "-m", "400", "/secret/token", file);
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getAutomountServiceAccountToken()).isFalse();
        }
    }

    @Test
    void jobReplacesPodsThatFail() throws IOException {
        JobSpec job = only(Job.class).getSpec();
        assertThat(job.getCompletionMode()).isEqualTo("Indexed");
        assertThat(job.getParallelism()).isEqualTo(job.getCompletions());
        assertThat(job.getMaxFailedIndexes()).isEqualTo(job.getCompletions());
        assertThat(job.getBackoffLimitPerIndex()).isPositive();
        assertThat(job.getPodReplacementPolicy()).isEqualTo("Failed");
        assertThat(job.getTemplate().getSpec().getRestartPolicy()).isEqualTo("Never");
        assertThat(job.getTemplate().getMetadata().getLabels())
                .containsAllEntriesOf(job.getTemplate().getSpec().getTopologySpreadConstraints().getFirst().getLabelSelector().getMatchLabels());
    }
}
