package org.posthouse.tunnel;

/** The same with the JDK's TLS, which is what there is where the native library is not. */
class JdkRefusalTest extends LinkRefusalTest {
    @Override
    TlsKind tls() {
        return TlsKind.JDK;
    }
}
