package org.posthouse.launch.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.launch.job.JobFailure;

/** What becomes of {@code --launch-agent}. */
class CommandTemplateTest {
    private static final List<String> AGENT = List.of("posthouse", "agent", "--label", "rack=a 1");

    private static String command(String template) throws JobFailure {
        return String.join("|", CommandTemplate.parse(template).command("n1", AGENT));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '!', quoteCharacter = '`', value = {
        "ssh {host}                        ! ssh|n1|posthouse|agent|--label|'rack=a 1'",
        "/usr/bin/ssh -o BatchMode=yes {host} ! /usr/bin/ssh|-o|BatchMode=yes|n1|posthouse|agent|--label|'rack=a 1'",
        "timeout 9 ssh {host}              ! timeout|9|ssh|n1|posthouse|agent|--label|'rack=a 1'",
        "srun --overlap -w {host} -n1      ! srun|--overlap|-w|n1|-n1|posthouse|agent|--label|rack=a 1",
        "kubectl exec -i {host} --         ! kubectl|exec|-i|n1|--|posthouse|agent|--label|rack=a 1",
        "mine {host} {command}             ! mine|n1|posthouse agent --label 'rack=a 1'",
        "mine --on={host} sh -c 'exec {command}' ! mine|--on=n1|sh|-c|exec posthouse agent --label 'rack=a 1'",
        "mine {host} {words} -v            ! mine|n1|posthouse|agent|--label|rack=a 1|-v",
        "srun -w {host} 'a\\\\$b'          ! srun|-w|n1|a\\\\$b|posthouse|agent|--label|rack=a 1",
        "ssh {host} {words}                ! ssh|n1|posthouse|agent|--label|rack=a 1",
        "srun -w \"{host}\" a\\ b \"c\\\"d\\e\" '' ! srun|-w|n1|a b|c\"d\\e||posthouse|agent|--label|rack=a 1",
    })
    void agentsWordsTakeTheirPlace(String template, String expected) throws Exception {
        assertThat(command(template)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '!', quoteCharacter = '`', value = {
        "ssh             ! does not say where the host stands: {host}",
        "`              `! does not say where the host stands: {host}",
        "{command} {host}! does not begin with a program",
        "ssh '{host}     ! has a quote without its end",
        "ssh {host} x{words}! has {words} inside of a word: {command} may stand there",
        "mine {host}     ! does not say whether a shell reads the agent's word 'rack=a 1': add {command} if one does, or {words} if none does",
    })
    void otherTemplatesAreRefusedInOneLine(String template, String fault) {
        assertThatThrownBy(() -> command(template)).isInstanceOf(JobFailure.class).hasMessage("--launch-agent '" + template + "' " + fault);
    }

    @Test
    void plainWordsNeedNoPlace() throws Exception {
        assertThat(CommandTemplate.parse("mine {host}").command("n1", List.of("a", "b=c"))).containsExactly("mine", "n1", "a", "b=c");
    }

    /** By a real shell. */
    @Test
    void quotedWordIsTheWordToAShell() throws Exception {
        Random random = new Random(1);
        String characters = "ab '\"\\$`!*?[]{}()<>|&;#~\n\täß=-";
        StringBuilder script = new StringBuilder("printf '%s\\0'");
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            StringBuilder word = new StringBuilder();
            for (int length = random.nextInt(8); length > 0; length--) {
                word.append(characters.charAt(random.nextInt(characters.length())));
            }
            script.append(' ').append(CommandTemplate.quoted(word.toString()));
            expected.append(word).append('\0');
        }
        Process shell = new ProcessBuilder("sh").start();
        try (var in = shell.getOutputStream()) {
            in.write(script.toString().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(expected.toString());
    }
}
