package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another user of the host, who connects to ports: a small program in Python, as nobody. */
final class Stranger {
    private static final Path PYTHON = Path.of("/usr/bin/python3");
    private static final long SECONDS_MAX = 120;

    /** Connects so many times, says the same each time, keeps all open, and tells for each what came until it was closed; "open" if it was not in 20 s. */
    private static final String PROGRAM = """
            import socket, sys
            host, port, times, said = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), bytes.fromhex(sys.argv[4])
            sockets = []
            for i in range(times):
                try:
                    s = socket.create_connection((host, port), 20)
                except ConnectionResetError:
                    # Accepted and reset before this process ran again.
                    print('closed', '')
                    continue
                sockets.append(s)
                try:
                    s.sendall(said)
                except OSError:
                    pass
            for s in sockets:
                s.settimeout(20)
                heard = b''
                try:
                    while True:
                        part = s.recv(4096)
                        if not part: break
                        heard += part
                    print('closed', heard.hex())
                except socket.timeout:
                    print('open', heard.hex())
                except OSError:
                    print('closed', heard.hex())
            """;

    private Stranger() {}

    /** Whether this process can be another user, and has what it takes. */
    static boolean canBe() {
        return ownUid() == 0 && Files.isExecutable(PYTHON);
    }

    private static int ownUid() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException e) {
            return -1;
        }
    }

    /** The command behind which a program runs as nobody. */
    static List<String> first() {
        return List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
    }

    /**
     * Has somebody say {@code said} on so many connections to {@code address}.
     *
     * @param first the command before the program: {@link #first}, or none for this user
     * @return a line each: {@code closed} or {@code open}, and in hexadecimal digits what was heard
     */
    static List<String> says(List<String> first, String address, int connections, byte[] said) throws IOException, InterruptedException {
        int colon = address.lastIndexOf(':');
        List<String> command = new ArrayList<>(first);
        command.addAll(List.of(PYTHON.toString(), "-c", PROGRAM, address.substring(0, colon), address.substring(colon + 1),
                Integer.toString(connections), HexFormat.of().formatHex(said)));
        Process process = new ProcessBuilder(command).directory(Path.of("/").toFile()).redirectErrorStream(true).start();
        try {
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(out).isZero();
            return out.lines().map(String::strip).toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
