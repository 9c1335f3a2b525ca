package org.posthouse.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.wire.Token;

/** What is taken for a launch token, and that nothing of one is told. */
final class TokenFileTest {
    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        Path file = folder.resolve("token");
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void readsTokenFromFile() throws Exception {
        Token token = Token.random();
        assertThat(TokenFile.read(file(token.hex() + "\n"))).isEqualTo(token);
        assertThat(TokenFile.read(null)).isEqualTo(Token.NONE);
    }

    /** With it a relay would ask launchers for nothing. */
    @Test
    void zerosAreNoToken() throws Exception {
        Path zeros = file("0".repeat(32));
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> TokenFile.read(zeros))
                .withMessageStartingWith("the token file " + zeros + " cannot be used: it holds zeros");
    }

    @Test
    void refusesMalformedTokenWithoutShowingIt() throws Exception {
        Path wrong = file("zzzz" + "0".repeat(28));
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> TokenFile.read(wrong))
                .withMessage("the token file " + wrong + " cannot be used: a token has 32 hexadecimal digits, and this one's 32 characters are not all such");
    }
}
