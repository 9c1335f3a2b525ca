package org.posthouse.tunnel;

import org.junit.jupiter.api.Tag;
import org.posthouse.tunnel.socket.TlsKind;

/** The same with the JDK's TLS, which is what there is where the native library is not. */
@Tag("long")
class JdkRefusalTest extends LinkRefusalTest {
    @Override
    TlsKind tls() {
        return TlsKind.JDK;
    }
}
