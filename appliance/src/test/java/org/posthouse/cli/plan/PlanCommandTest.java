package org.posthouse.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.Posthouse;
import org.posthouse.cli.terminal.ExitCode;

/** What {@code posthouse plan} prints, and what it refuses. */
class PlanCommandTest {
    private static final String FIGURE_10 = "plan -n 10 --sequential 10s --lambda 0.1 --overhead 1";

    private final StringWriter err = new StringWriter();
    private int status;

    private String printed(String line) {
        PrintStream out = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            status = Posthouse.commandLine("plan").setErr(new PrintWriter(err, true)).execute(line.split(" "));
        } finally {
            System.setOut(out);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theDegreeThatWasAskedForComesFirstThenTheMinimumThenTheTable() {
        assertThat(printed(FIGURE_10 + " --target 0.1 --max-degree 8").lines()).containsExactly(
                "Smallest degree with P at most 0.100: 5 (P 0.0904, 50 hosts, 5.00 s)",
                "Lowest P: 7 (P 0.0790, 70 hosts, 7.00 s)",
                "Hosts fail with lambda 360/h and delta 1.00",
                "",
                "R  HOSTS    TIME       P  P WITH RESTART",
                "1     10  1.00 s   0.632           0.632",
                "2     20  2.00 s   0.284           0.279",
                "3     30  3.00 s   0.161           0.152",
                "4     40  4.00 s   0.112          0.0986",
                "5     50  5.00 s  0.0904          0.0728",
                "6     60  6.00 s  0.0812          0.0586",
                "7     70  7.00 s  0.0790          0.0501",
                "8     80  8.00 s  0.0814          0.0447");
        assertThat(status).isZero();
    }

    @Test
    void aTargetThatNoDegreeReachesNeedsAttention() {
        assertThat(printed(FIGURE_10 + " --target 0.05")).startsWith("No degree up to 16 has P at most 0.0500");
        assertThat(status).isEqualTo(ExitCode.ATTENTION.status());
    }

    @Test
    void jsonHasTheSame() throws IOException {
        JsonNode plan = new ObjectMapper().readTree(
                printed(FIGURE_10 + " --target 0.1 --sites 2 --site-lambda 0.001 --site-delta 0.9 --checkpoint-time 1s --restart-time 2s --json"));
        assertThat(plan.get("lowest").intValue()).isEqualTo(7);
        assertThat(plan.get("smallest").intValue()).as("with sites").isEqualTo(6);
        assertThat(plan.get("degrees")).hasSize(16);
        JsonNode second = plan.get("degrees").get(1);
        assertThat(second.get("failure").doubleValue()).isBetween(0.283, 0.285);
        assertThat(second.get("failureWithSites").doubleValue()).isGreaterThan(second.get("failure").doubleValue());
        assertThat(plan.get("checkpoints").get("intervalSeconds").doubleValue()).isBetween(4.4, 4.5);
    }

    @Test
    void oldHostsAreUsedFirstAndAreAsManyAsThereAre() {
        String plan = printed("plan -n 4 --time 1h --lambda 0.05/h --delta 0.6 --uptime 1m:4,30d:4");
        assertThat(plan.lines().filter(line -> line.matches(" *[0-9]+ .*"))).hasSize(2);
        assertThat(plan).contains("Lowest P: 2 (");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "plan --time 1h --lambda 1                            | Missing required option: '--ranks=N'",
        "plan -n 4 --time 1h                                  | Missing required option: '--lambda=RATE'",
        "plan -n 0 --time 1h --lambda 1                       | -n 0: expected a whole number of 1 or more",
        "plan -n 2000000 --time 1h --lambda 1                 | --ranks 2000000: expected at most 1000000",
        "plan -n 4 --time 6 --lambda 1                        | --time: \"6\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 0h --lambda 1                       | --time: \"0h\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 1h --lambda 0                       | --lambda: \"0\" is no rate above 0, expected for instance 0.002/h, or a number a second",
        "plan -n 4 --time 1h --lambda 3/w                     | --lambda: \"3/w\" is no rate above 0, expected for instance 0.002/h, or a number a second",
        "plan -n 4 --time 1h --lambda 1 --delta 0             | --delta 0: expected a number from 0.01 to 100",
        "plan -n 4 --time 1h --lambda 1 --delta NaN           | --delta NaN: expected a number from 0.01 to 100",
        "plan -n 4 --time 1h --lambda 1 --overhead -1         | --overhead -1: expected a number from 0 to 100: the part of the job's time that each further copy adds",
        "plan -n 4 --time 1h --lambda 1 --target 0            | --target 0: expected a probability above 0, at most 1",
        "plan -n 4 --time 1h --lambda 1 --target 2            | --target 2: expected a probability above 0, at most 1",
        "plan -n 4 --time 1h --lambda 1 --max-degree 65       | --max-degree 65: expected at most 64",
        "plan -n 4 --time 1h --lambda 1 --sites 11 --site-lambda 1 | --sites 11: expected at most 10",
        "plan -n 4 --time 1h --lambda 1 --sites 2             | --sites and --site-lambda go together: give both",
        "plan -n 4 --time 1h --lambda 1 --site-lambda 2       | --sites and --site-lambda go together: give both",
        "plan -n 4 --time 1h --lambda 1 --site-delta 2        | --site-delta is of --sites, which are not given",
        "plan -n 4 --lambda 1                                 | --time says how long the job takes, or --sequential what one rank alone takes: give one of them",
        "plan -n 4 --time 1h --sequential 1h --lambda 1       | --time says how long the job takes, or --sequential what one rank alone takes: give one of them",
        "plan -n 4 --time 1h --parallel 0.5 --lambda 1        | --parallel is a part of --sequential, which is not given",
        "plan -n 4 --sequential 1h --parallel 1.5 --lambda 1  | --parallel 1.5: expected a number from 0 to 1",
        "plan -n 4 --time 1h --lambda 1 --uptime 3            | --uptime: \"3\" is no time from 0s to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 1h --lambda 1 --uptime 3d:x         | --uptime: \"3d:x\" has no number of hosts from 1 to 999999 behind its colon, expected for instance 30d:8",
        "plan -n 4 --time 1h --lambda 1 --uptime 3d,1h:4      | --uptime has several times, and one of them no number of hosts: expected TIME:HOSTS for each",
        "plan -n 4 --time 1h --lambda 1 --slots 0             | --slots 0: expected a whole number of 1 or more",
        "plan -n 4 --time 1h --lambda 1 --restart-time 0s     | --restart-time: \"0s\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 1h --lambda 1 --checkpoint-time x   | --checkpoint-time: \"x\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d"
    })
    void whatCannotBeIsRefusedWithTheWordAndWhatIsExpected(String line, String said) {
        assertThat(printed(line)).isEmpty();
        assertThat(status).isEqualTo(ExitCode.USAGE.status());
        assertThat(err.toString().lines()).first().isEqualTo("posthouse plan: " + said);
    }
}
