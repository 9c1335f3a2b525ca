package org.posthouse.cli.console;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.posthouse.cli.option.HostPort;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;

/**
 * One HTTP/1.1 connection to a console (RFC 9112), for a few requests in a row. The JDK's clients do not say which socket they use; here the process that has
 * answered one request is known before the next one shows it a secret. For one thread, which blocks.
 */
final class ConsoleConnection implements AutoCloseable {
    static final int ANSWER_MS = 30_000;
    private static final int CONNECT_MS = 5_000;
    private static final int LINE_BYTES_MAX = 8_192;
    private static final int HEADERS_MAX = 100;

    /** A console's answers are some hundred bytes for each rank, job and link. */
    private static final int BODY_BYTES_MAX = 256 << 20;

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})( .*)?");
    private static final String LENGTH = "content-length:";

    private final HostPort console;

    /** That of the system, whose process at the other end is known; over TLS another one is spoken through. */
    private final Socket socket;

    private final OutputStream out;
    private final InputStream in;

    /** An answer; the text is empty if there is none. */
    record Answer(int status, String text) {}

    private ConsoleConnection(HostPort console, Socket socket, Socket spoken) throws IOException {
        this.console = console;
        this.socket = socket;
        this.in = new BufferedInputStream(spoken.getInputStream());
        this.out = spoken.getOutputStream();
    }

    /**
     * Connects.
     *
     * @param tls of what it is asked over TLS; empty: plain
     * @throws SSLException if the other end speaks no TLS, or has a certificate that is not accepted
     * @throws IOException if it is not reached within 5 s
     */
    static ConsoleConnection open(HostPort console, Optional<SSLSocketFactory> tls) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(console.host(), console.port()), CONNECT_MS);
            socket.setSoTimeout(ANSWER_MS);
            return new ConsoleConnection(console, socket, tls.isEmpty() ? socket : secured(console, socket, tls.get()));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket secured(HostPort console, Socket socket, SSLSocketFactory tls) throws IOException {
        SSLSocket secured = (SSLSocket) tls.createSocket(socket, console.host(), console.port(), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    /** Sends a GET, or a POST of a JSON body if there is one, and reads the answer. @param authorization is shown: scheme and credentials */
    Answer exchange(String path, byte[] body, Optional<String> authorization) throws IOException {
        StringBuilder head = new StringBuilder((body == null ? "GET " : "POST ") + path + " HTTP/1.1\r\nHost: " + console + "\r\nAccept: */*\r\n");
        authorization.ifPresent(shown -> head.append("Authorization: ").append(shown).append("\r\n"));
        if (body != null) {
            head.append("Content-Type: application/json\r\nContent-Length: ").append(body.length).append("\r\n");
        }
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        if (body != null) {
            request.writeBytes(body);
        }
        out.write(request.toByteArray());
        out.flush();
        return answer();
    }

    private Answer answer() throws IOException {
        Matcher status = STATUS.matcher(line());
        if (!status.matches()) {
            throw new ProtocolException("no status line");
        }
        return new Answer(Integer.parseInt(status.group(1)), new String(body(headers()), StandardCharsets.UTF_8));
    }

    /** Gives the body's length; -1 if it ends with the connection. */
    private long headers() throws IOException {
        long length = -1;
        String header = line();
        for (int count = 0; !header.isEmpty(); count++) {
            if (count == HEADERS_MAX) {
                throw new ProtocolException("more than " + HEADERS_MAX + " headers");
            }
            if (header.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
                length = length(header.substring(LENGTH.length()).strip());
            }
            header = line();
        }
        return length;
    }

    private static long length(String text) throws ProtocolException {
        if (!text.matches("[0-9]{1,10}")) {
            throw new ProtocolException("a length that is no number");
        }
        return Long.parseLong(text);
    }

    private byte[] body(long length) throws IOException {
        byte[] body = in.readNBytes((int) Math.min(length < 0 ? BODY_BYTES_MAX : length, BODY_BYTES_MAX));
        if (body.length < length) {
            throw new EOFException("the answer has " + body.length + " bytes, expected " + length);
        }
        return body;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.size() == LINE_BYTES_MAX) {
                throw new ProtocolException("a line without an end");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    /** Whose process has answered: unknown if it is on another host. Asked for before an answer has come it may be unknown on this host too. */
    PeerUser user() {
        return PeerUsers.ofHost().find(socket.getLocalSocketAddress(), socket.getRemoteSocketAddress());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
