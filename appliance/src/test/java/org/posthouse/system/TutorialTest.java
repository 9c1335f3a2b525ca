package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs docs/tutorial.md, and the first steps of README.md, from the top: each block of code of the language {@code bash}, in a fresh folder. The words
 * behind the language say how. {@code terminal}: the command runs on, as in a terminal of its own. {@code host-b}: on the other cluster's host.
 * {@code retry}: until it succeeds and prints what the page shows. A block of the language {@code java} is a file; one of {@code text} shows lines that the command
 * before it prints. The two hosts are network namespaces with a cable; {@code scp} is a copy from one folder to the other.
 */
@Timeout(900)
class TutorialTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..");
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final Pattern PART = Pattern.compile("(?ms)^```(\\w*) ?([^\\n]*)\\n(.*?)^```$|^<!-- test: (\\w+) -->$");

    @TempDir
    private Path folder;

    /** One block, or a remark for this test. */
    private record Step(String language, String words, String text, String remark) {}

    private static List<Step> steps(String page) throws IOException {
        List<Step> steps = new ArrayList<>();
        Matcher parts = PART.matcher(Files.readString(ROOT.resolve(page)));
        while (parts.find()) {
            steps.add(new Step(String.valueOf(parts.group(1)), String.valueOf(parts.group(2)), String.valueOf(parts.group(3)), parts.group(4)));
        }
        return steps;
    }

    @Tag("long")
    @Test
    void eachCommandOfTheTutorialDoesWhatThePageShows() throws Exception {
        assumeTrue(Namespaces.areThere(), "no network namespaces here: the tutorial's two hosts cannot be made");
        List<Step> steps = steps("docs/tutorial.md");
        assertThat(steps.stream().filter(step -> step.language.equals("bash"))).hasSizeGreaterThan(12);
        assertThat(run(steps)).isGreaterThan(12);
    }

    @Tag("long")
    @Test
    void eachCommandOfTheReadmesFirstStepsDoesWhatThePageShows() throws Exception {
        assumeTrue(Namespaces.areThere(), "no network namespaces here: the ports of the page may be in use");
        assertThat(run(steps("README.md"))).isGreaterThan(4);
    }

    /** Returns how many commands it ran. */
    private int run(List<Step> steps) throws Exception {
        Path a = Files.createDirectory(folder.resolve("a"));
        Path b = Files.createDirectory(folder.resolve("b"));
        int commands = 0;
        try (Namespaces hosts = Namespaces.of(2); CheckoutFolder hostA = checkout(a, b, hosts, 0); CheckoutFolder hostB = checkout(b, b, hosts, 1)) {
            for (int i = 0; i < steps.size(); i++) {
                Step step = steps.get(i);
                String shown = i + 1 < steps.size() && steps.get(i + 1).language.equals("text") ? steps.get(i + 1).text : "";
                if ("stop".equals(step.remark)) {
                    hostA.stop();
                    hostB.stop();
                } else if (step.language.equals("java")) {
                    Files.writeString(a.resolve(step.words), step.text);
                } else if (step.language.equals("bash")) {
                    command(step, step.words.contains("host-b") ? hostB : hostA, shown);
                    commands++;
                }
            }
            assertThat(hostA.allRun() && hostB.allRun()).as("what runs in terminals runs to the end: " + hostA.terminals() + hostB.terminals()).isTrue();
            hostA.stop();
            hostB.stop();
        }
        return commands;
    }

    private static void command(Step step, CheckoutFolder host, String shown) throws Exception {
        if (step.words.contains("terminal")) {
            Path printed = host.startAside(step.text.strip());
            await(step.text).atMost(PATIENCE).until(() -> Files.size(printed) > 0); // A relay and an agent say that they serve.
            assertThat(host.allRun()).as(host.terminals()).isTrue();
            return;
        }
        if (step.words.contains("retry")) {
            await(step.text).atMost(PATIENCE).untilAsserted(() -> {
                CheckoutFolder.Result result = host.run(step.text);
                assertThat(result.status()).as(result.text() + host.terminals()).isZero();
                shows(result.text(), shown);
            });
            return;
        }
        CheckoutFolder.Result result = host.run("set -e\n" + step.text);
        assertThat(result.status()).as(step.text + result.text()).isZero();
        shows(result.text(), shown);
    }

    private static void shows(String printed, String shown) {
        assertThat(shown.lines()).allSatisfy(line -> assertThat(printed).contains(line));
    }

    /** Host A is the router of the namespaces, 10.77.1.1 to host B, which is 10.77.1.2. */
    private static CheckoutFolder checkout(Path own, Path ofB, Namespaces hosts, int host) throws IOException {
        CheckoutFolder checkout = new CheckoutFolder(own, hosts.enter(host, "env", "A=10.77.1.1", "B=10.77.1.2"));
        Path scp = Files.writeString(own.resolve("scp"), "#!/bin/sh\n[ \"$1 $3\" = '-rp 10.77.1.2:posthouse/' ] && exec cp -rp \"$2\" '" + ofB + "'\n");
        assertThat(scp.toFile().setExecutable(true)).isTrue();
        return checkout;
    }
}
