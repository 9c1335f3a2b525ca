package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Holds the test's end of every {@link Puppet}'s connection. */
final class Strings implements AutoCloseable {
    private static final int ANSWER_MS = 60_000;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    Strings() throws IOException {
        server.setSoTimeout(ANSWER_MS);
    }

    String port() {
        return Integer.toString(server.getLocalPort());
    }

    /** The next puppet that comes. */
    Held accept() throws IOException {
        return new Held(server.accept());
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /** One puppet. */
    static final class Held implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;
        final int rank;
        final int incarnation;
        final ProcessHandle process;

        private Held(Socket socket) throws IOException {
            this.socket = socket;
            socket.setSoTimeout(ANSWER_MS);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String[] greeting = in.readLine().split(" ");
            rank = Integer.parseInt(greeting[0]);
            incarnation = Integer.parseInt(greeting[1]);
            process = ProcessHandle.of(Long.parseLong(greeting[2])).orElseThrow();
        }

        /** Has the puppet do this, and waits until it has. @return what it answers */
        String order(String order) throws IOException {
            say(order);
            return in.readLine();
        }

        /** The puppet prints these lines. */
        void print(String... lines) throws IOException {
            for (String line : lines) {
                assertThat(order("print " + line)).isEqualTo("done");
            }
        }

        /** Has the puppet exit. */
        void exit(int status) throws IOException {
            say("exit " + status);
        }

        private void say(String line) throws IOException {
            socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
