package org.posthouse.causes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of failures. */
class CausesTest {
    @Test
    void leavesOutTheAddressThatNettyAdds() {
        assertThat(Causes.text(new ConnectException("Connection refused: localhost/127.0.0.1:7412"))).isEqualTo("Connection refused");
        assertThat(Causes.text(new ConnectException("Connection refused: /[0:0:0:0:0:0:0:1]:7412"))).isEqualTo("Connection refused");
        assertThat(Causes.text(new IOException("no way: site-a/2:1"))).as("no address").isEqualTo("no way: site-a/2:1");
    }

    @Test
    void translatesExceptionClassesIntoPlainText() {
        assertThat(Causes.text(new NoSuchFileException("keys/site.key"))).isEqualTo("no such file: keys/site.key");
        assertThat(Causes.text(new AccessDeniedException("keys"))).isEqualTo("access denied: keys");
        assertThat(Causes.text(new UnknownHostException("nowhere"))).isEqualTo("unknown host: nowhere");
        assertThat(Causes.text(new ClosedChannelException())).isEqualTo("closed channel");
        assertThat(Causes.text(new ConnectException())).isEqualTo("connection refused");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "error:10000415:SSL routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED",
        "Received fatal alert: certificate_expired",
        "(certificate_expired) Received fatal alert: certificate_expired"
    })
    void tellsOfAnAlertInWords(String alert) {
        assertThat(Causes.text(new SSLException(alert))).isEqualTo("the other end ended TLS with the alert certificate_expired: its log says more");
    }

    @Test
    void takesTheMessageWhereThereIsOne() {
        assertThat(Causes.text(new FileSystemException("f", null, "No space left on device"))).isEqualTo("f: No space left on device");
        assertThat(Causes.text(new IOException("Broken pipe"))).isEqualTo("Broken pipe");
        assertThat(Causes.text(new IOException("no path: " + new IllegalStateException("no anchor")))).isEqualTo("no path: no anchor");
    }
}
