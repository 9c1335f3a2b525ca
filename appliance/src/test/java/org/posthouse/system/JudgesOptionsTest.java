package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.InProcess;

class JudgesOptionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--names raft                                        | the judges are [], expected 1, 3, 5 or 7 of them: an even number stands no more failures than one less",
        "--names raft --judges site-b,site-c                 | the judges are [site-b, site-c], expected 1, 3, 5 or 7 of them: an even number stands no more failures"
                + " than one less",
        "--names raft --judges site-a,site-b,site-c          | --judges names this relay, which needs --data DIR: a judge that forgets what it has answered is none",
        "--names raft --judges site-b,Site_C                 | --judges \"Site_C\", expected SITE or SITE/NAME",
        "--names raft --judges site-b --judges-port 0        | --judges-port 0, expected 1 to 65535",
        "--names raft --judges site-b --forward judge=a:1    | --forward judge is the door of --names raft: give yours another name",
        "--judges site-b                                     | --judges is for --names raft"})
    void whatIsWrongIsSaidBeforeAnythingIsOpened(String options, String message) {
        List<String> arguments = new ArrayList<>(List.of("relay", "--site", "site-a", "--check-config"));
        arguments.addAll(List.of(options.strip().split(" ")));
        InProcess.Result refused = InProcess.run(arguments.toArray(String[]::new));
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err().strip()).hasLineCount(1).contains(message);
    }

    @ParameterizedTest
    @CsvSource({"--names raft --judges site-b", "--names raft --judges site-b/x --judges site-c/relay --judges site-d", "--names memory"})
    void judgesThatOthersAreNeedNoFolder(String options) {
        List<String> arguments = new ArrayList<>(List.of("relay", "--site", "site-a", "--check-config"));
        arguments.addAll(List.of(options.split(" ")));
        InProcess.Result checked = InProcess.run(arguments.toArray(String[]::new));
        assertThat(checked.status()).as(checked.err()).isZero();
    }
}
