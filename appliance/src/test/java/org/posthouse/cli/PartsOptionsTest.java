package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PartsOptionsTest {
    private static void run(String options) throws Exception {
        RunCommand run = new RunCommand();
        List<String> words = new ArrayList<>(List.of(options.split(" ")));
        words.add("example:pi");
        new CommandLine(run).parseArgs(words.toArray(String[]::new));
        run.call();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --relay h:1 | Missing required option: '--ranks=N'
            --expect a=64,b=32 -n 95 --relay h:1 | -n 95 and --expect a=64,b=32, which is 96: leave -n out
            --expect a=64,b --relay h:1 | --expect "b" is not SITE=SLOTS, such as a=64
            --expect a=0 --relay h:1 | --expect "a=0" is not SITE=SLOTS, such as a=64
            --expect =1 --relay h:1 | --expect "=1" is not SITE=SLOTS, such as a=64
            --expect a=1,a=2 --relay h:1 | --expect names site a twice
            --expect a=16385 --relay h:1 | --expect a=16385 is 16385 slots, expected 1 to 16384
            --expect a=1 | --expect waits for agents, which dial a running relay: name it with --relay
            --expect a=1 --sites a:1 --relay h:1 | --expect and --sites: give one of them
            --expect a=1 --slurm never --nodes always --relay h:1 | --expect and --nodes, --slurm: give one of them
            --expect a=1 --wait 0 --relay h:1 | --wait is a time from 1 ms to 31 days
            --expect a=1 --wait 745h --relay h:1 | --wait is a time from 1 ms to 31 days
            --expect a=1 --job a/b --relay h:1 | --job "a/b" is no name of a job: expected 1 to 63 letters, digits, '.', '_' and '-', the first a letter or digit
            -n 1 --wait 5s --relay h:1 | --wait is for a job whose parts are waited for: give --expect
            -n 1 --job june --relay h:1 | --job is for a job whose parts are waited for: give --expect
            """)
    void whatCannotBeMeantIsToldInALine(String options, String line) {
        assertThatThrownBy(() -> run(options)).isInstanceOf(CommandLine.ParameterException.class).hasMessage(line);
    }

    @Test
    void aJoinNeedsAJobsName() {
        CommandLine command = new CommandLine(new JoinCommand());
        command.parseArgs("a b", "--relay", "h:1");
        assertThat(command.getParseResult().hasMatchedOption("--relay")).isTrue();
        assertThatThrownBy(() -> command.<JoinCommand>getCommand().call()).isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageStartingWith("JOB \"a b\" is no name of a job");
    }
}
