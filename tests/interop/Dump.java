import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * The peer Java Avro: commands on standard input, one a line, in words parted by tabs; an answer a line.
 *
 * <pre>
 * read FILE                   ok, records, SHA-256 of the values, of the blocks' decompressed bytes, of the schema
 * write IN OUT CODEC LEVEL    ok; LEVEL may be empty
 * </pre>
 *
 * The values are hashed as their canonical encoding under the writer's schema: shortest varints, one positive block an
 * array or map, maps in their order. Compiles against Avro 1.8 and later.
 */
public final class Dump {
    public static void main(String[] args) throws IOException {
        PrintStream answers = System.out;
        // What libraries print is no answer.
        System.setOut(System.err);
        answers.println("Java Avro\t" + version() + "\t" + codecs());
        answers.flush();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = commands.readLine()) != null; ) {
            answers.println(answer(line.split("\t", -1)));
            answers.flush();
        }
    }

    private static String answer(String[] words) {
        try {
            switch (words[0]) {
                case "read":
                    return read(new File(words[1]));
                case "write":
                    return write(new File(words[1]), new File(words[2]), codec(words[3], words[4]));
                default:
                    return "error\tno command " + words[0];
            }
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            return "error\t" + e.toString().replaceAll("\\s+", " ");
        }
    }

    private static String read(File file) throws Exception {
        MessageDigest values = MessageDigest.getInstance("SHA-256");
        long records = 0;
        String schema;
        try (DataFileReader<Object> reader = open(file);
                OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), values)) {
            GenericDatumWriter<Object> writer = new GenericDatumWriter<>(reader.getSchema());
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
            for (Object value : reader) {
                writer.write(value, encoder);
                records++;
            }
            encoder.flush();
            schema = SchemaNormalization.toParsingForm(reader.getSchema());
        }
        MessageDigest stored = MessageDigest.getInstance("SHA-256");
        long inBlocks = 0;
        try (DataFileReader<Object> reader = open(file)) {
            while (reader.hasNext()) {
                ByteBuffer block = reader.nextBlock();
                stored.update(block.duplicate());
                inBlocks += reader.getBlockCount();
            }
        }
        if (inBlocks != records) {
            throw new IOException(records + " records, " + inBlocks + " in blocks");
        }
        MessageDigest text = MessageDigest.getInstance("SHA-256");
        text.update(schema.getBytes(StandardCharsets.UTF_8));
        return "ok\t" + records + "\t" + hex(values) + "\t" + hex(stored) + "\t" + hex(text);
    }

    private static String write(File in, File out, CodecFactory codec) throws IOException {
        try (DataFileReader<Object> reader = open(in)) {
            Schema schema = reader.getSchema();
            try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
                writer.setCodec(codec);
                writer.create(schema, out);
                for (Object value : reader) {
                    writer.append(value);
                }
            }
        }
        return "ok";
    }

    private static DataFileReader<Object> open(File file) throws IOException {
        return new DataFileReader<>(file, new InOrder());
    }

    /** Keeps the order of maps. Needs -Dorg.apache.avro.fastread=false: the other reader does not ask it. */
    private static final class InOrder extends GenericDatumReader<Object> {
        @Override
        protected Object newMap(Object old, int size) {
            return new LinkedHashMap<Object, Object>();
        }
    }

    private static CodecFactory codec(String name, String level) {
        if (level.isEmpty()) {
            return CodecFactory.fromString(name);
        }
        int n = Integer.parseInt(level);
        switch (name) {
            case "deflate":
                return CodecFactory.deflateCodec(n);
            case "xz":
                return CodecFactory.xzCodec(n);
            case "zstandard":
                return zstandard(n);
            default:
                // The others take no level here.
                return CodecFactory.fromString(name);
        }
    }

    /** With a checksum; Avro 1.8 has no such method. */
    private static CodecFactory zstandard(int level) {
        try {
            Object made = CodecFactory.class
                    .getMethod("zstandardCodec", int.class, boolean.class)
                    .invoke(null, level, true);
            return (CodecFactory) made;
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String codecs() {
        StringBuilder known = new StringBuilder();
        for (String name : new String[] {"null", "deflate", "snappy", "bzip2", "xz", "zstandard"}) {
            try {
                CodecFactory.fromString(name);
            } catch (RuntimeException e) {
                continue;
            }
            known.append(known.length() == 0 ? "" : ",").append(name);
        }
        return known.toString();
    }

    private static String version() {
        String version = Schema.class.getPackage().getImplementationVersion();
        return version == null ? "of an unknown version" : version;
    }

    private static String hex(MessageDigest digest) {
        StringBuilder out = new StringBuilder();
        for (byte b : digest.digest()) {
            out.append(String.format("%02x", b));
        }
        return out.toString();
    }
}
