"""Decodes and encodes PDUs with python3-gammu. Reads one JSON object per line and writes one per line."""

import json
import sys

try:
    import gammu
except ImportError:
    sys.exit(3)


def decode(request):
    sms = gammu.DecodePDU(bytes.fromhex(request['pdu']), True)
    date_time = sms['DateTime']
    return {
        'type': sms['Type'],
        'serviceCentre': sms['SMSC']['Number'],
        'number': sms['Number'],
        'text': text_of(sms),
        'coding': sms['Coding'],
        'class': sms['Class'],
        'dateTime': date_time.isoformat() if date_time is not None else None,
        'status': sms['DeliveryStatus'],
        'reference': sms['MessageReference'],
        'header': sms['UDH']['Text'].hex().upper(),
        'parts': [sms['UDH']['ID8bit'], sms['UDH']['ID16bit'], sms['UDH']['PartNumber'], sms['UDH']['AllParts']],
    }


def text_of(sms):
    text = sms['Text']
    return {'octets': text.hex().upper()} if isinstance(text, bytes) else {'text': text}


def encode(request):
    text = request['text']
    sms = {
        **every_member(),
        'SMSC': {'Location': 0, 'Name': '', 'Format': 'Text', 'Validity': 'Max', 'Number': request['serviceCentre']},
        'Number': request['number'],
        'Text': bytes.fromhex(request['octets']) if text is None else text,
        'Coding': request['coding'],
        'Class': request['class'],
        'Type': request['type'],
    }
    return {'pdu': gammu.EncodePDU(sms, request['layout']).hex().upper()}


def every_member():
    """gammu requires all members of a message; a message that it has decoded has them all."""
    return gammu.DecodePDU(bytes.fromhex('0004038121F300002180111131000001' + '41'), True)


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = decode(request) if request['operation'] == 'decode' else encode(request)
    except (gammu.GSMError, ValueError, TypeError, KeyError, UnicodeError) as error:
        answer = {'error': f'{type(error).__name__}: {error}'}
    print(json.dumps(answer), flush=True)
